import pg from 'pg';
import { OWN, refuseAborted, SourceError, unavailable } from '../errors.ts';
import type { Line } from '../reading/session.ts';
import type { KnownTrees } from '../reading/parse-tree.ts';
import { beginReading } from '../reading/reading.ts';
import { tapRows } from '../reading/row-tap.ts';
import type { BeginOptions, Reading, SqlSource } from '../source.ts';

export interface PostgresSourceOptions {
  /** As the pg package takes it. A `password` that is a function is asked at each connection, also beside a URL. */
  readonly connection: pg.ClientConfig;
  /** The database did not accept the password, or the role: what is kept of it is worth nothing. */
  readonly onRefused?: () => void;
  readonly connectWithinMs?: number;
  /** VOLATILE functions of the database that only read, and that reports may call. */
  readonly volatileFunctions?: readonly string[];
}

const CONNECT_WITHIN_MS = 10_000;
const CANCEL_WITHIN_MS = 5_000;
const GOODBYE_WITHIN_MS = 2_000;
/** The system asks the other end this often whether it is there; without it a line that broke is never noticed. */
const KEEP_ALIVE_MS = 30_000;
/** For `check`. */
const CHECK_WITHIN_MS = 10_000;

/** How often a server looks whether its client is there while it computes. Windows and Postgres before 14 have no way to. */
const NOTICE_LOST_CLIENT = "SET LOCAL client_connection_check_interval = '10s'";

/** A connection per reading: nothing of one session can be met in the next, and setting one up takes milliseconds. */
export function openPostgresSource(options: PostgresSourceOptions): SqlSource {
  const allowed = new Set(options.volatileFunctions);
  const trees: KnownTrees = new Map();
  const readings = new Set<Reading>();
  let isClosed = false;

  async function begin(begun: BeginOptions): Promise<Reading> {
    if (isClosed)
      throw new SourceError('The source is closed.', { code: OWN.closed, retryable: false });
    const line = await connect(options, begun);
    const reading = await beginReading(line, {
      ...begun,
      allowed,
      trees,
      extras: [NOTICE_LOST_CLIENT],
    });
    const kept: Reading = {
      ...reading,
      end() {
        readings.delete(kept);
        return reading.end();
      },
    };
    readings.add(kept);
    if (isClosed) await kept.end();
    return kept;
  }

  return {
    kind: 'postgres',
    begin,
    async check() {
      const reading = await begin({ statementTimeoutMs: CHECK_WITHIN_MS }).catch(
        (error: unknown) => {
          throw unavailable(error);
        },
      );
      await reading.end();
    },
    async close() {
      isClosed = true;
      await Promise.all([...readings].map((reading) => reading.end()));
    },
  };
}

async function connect(options: PostgresSourceOptions, begun: BeginOptions): Promise<Line> {
  const { connection, onRefused, connectWithinMs = CONNECT_WITHIN_MS } = options;
  const { applicationName = 'millrace reports', signal } = begun;
  refuseAborted(signal);
  const client = new pg.Client({
    application_name: applicationName,
    ...connection,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: connectWithinMs,
  });
  // Without a listener a client that breaks ends the process. Whoever waits for an answer hears of it by the answer.
  client.on('error', () => {});
  tapRows(client);
  // The pg package prefers the password of a URL, also where the URL has none.
  if (typeof connection.password === 'function')
    Object.assign(client, { password: connection.password });
  const gone = new Promise<void>((resolve) => {
    client.once('end', () => resolve());
  });
  const onAbort = (): void => void client.connection.stream.destroy();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await client.connect();
  } catch (error) {
    client.connection.stream.destroy();
    refuseAborted(signal);
    const thrown = unavailable(error);
    if (thrown.code.startsWith('28')) onRefused?.();
    throw thrown;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  return lineOf(client, gone);
}

function lineOf(client: pg.Client, gone: Promise<void>): Line {
  const cut = (): Promise<void> => {
    client.connection.stream.destroy();
    return gone;
  };
  return {
    client,
    cancel: () => cancel(client, CANCEL_WITHIN_MS),
    cut,
    async close() {
      // A line gone silent answers no goodbye.
      const timer = setTimeout(() => void cut(), GOODBYE_WITHIN_MS);
      await client.end();
      clearTimeout(timer);
    },
  };
}

/** Fields of a connection that the pg package keeps and does not declare. */
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
function cancel(client: pg.Client, withinMs: number): Promise<void> {
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
