import pg from 'pg';

/** Whether a Postgres lets us in, and its version. It changes nothing: no schema is made, none migrated. */
export async function checkPostgres(url: string): Promise<{ version: string } | { why: string }> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  client.on('error', () => {}); // a connection that breaks after the answer
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return { version: rows[0]?.server_version ?? 'of an unknown version' };
  } catch (error) {
    return { why: error instanceof Error ? error.message || 'no answer' : String(error) };
  } finally {
    await client.end().catch(() => {});
  }
}
