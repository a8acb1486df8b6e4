import pg from 'pg';

/** What the pg package keeps of a connection and does not declare. */
interface Connected {
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly ssl: pg.ClientConfig['ssl'];
  readonly sslNegotiation: 'postgres' | 'direct';
}
interface Opening extends pg.Connection {
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

/**
 * Asks the server to stop what a session runs, by a connection of its own, as Postgres' protocol has it. The server closes it
 * when it has passed the signal on. `Client.cancel` of the pg package leaves out TLS.
 */
export function cancel(client: pg.Client, withinMs: number): Promise<void> {
  const { processID, secretKey, ssl, sslNegotiation } = client as unknown as Connected;
  if (processID === null || secretKey === null) return Promise.resolve();
  return new Promise((resolve) => {
    const connection = new pg.Connection({ ssl, sslNegotiation } as pg.ClientConfig) as Opening;
    const timer = setTimeout(done, withinMs);
    function done(): void {
      clearTimeout(timer);
      connection.stream.destroy();
      resolve();
    }
    const ask = (): void => connection.cancel(processID ?? 0, secretKey ?? 0);
    connection.on('connect', () => {
      if (ssl === undefined || ssl === false) ask();
      else if (sslNegotiation !== 'direct') connection.requestSsl();
    });
    connection.on('sslconnect', ask);
    connection.on('error', done);
    connection.on('end', done);
    if (client.host.startsWith('/')) connection.connect(`${client.host}/.s.PGSQL.${client.port}`);
    else connection.connect(client.port, client.host);
  });
}
