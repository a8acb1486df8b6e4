import { type ConnectOptions, clientClass, connectConfig } from './connect.ts';
import { conditionOf } from './errors.ts';

/** Whether a Postgres lets us in, and its version. It changes nothing: no schema is made, none migrated. */
export async function checkPostgres(
  options: ConnectOptions,
): Promise<{ version: string } | { why: string }> {
  const Client = clientClass(options);
  const client = new Client({
    ...connectConfig(options),
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return { version: rows[0]?.server_version ?? 'of an unknown version' };
  } catch (error) {
    const why = error instanceof Error ? error.message || 'no answer' : String(error);
    const condition = conditionOf(error);
    return { why: condition === null ? why : `${condition} (${why})` };
  } finally {
    await client.end().catch(() => {});
  }
}
