import pg from 'pg';
import { expect, test } from 'vitest';
import { bareDatabase } from '../../../stores/postgres/test/databases.ts';
import { examine } from './doctor.ts';
import { settings } from './settings.ts';

async function findingOf(url: string) {
  const values = Object.fromEntries(
    Object.entries(settings.variables).map(([name, schema]) => [
      name,
      schema.parse(name === 'REPORTS_DATABASE_URL' ? url : undefined),
    ]),
  );
  const config = settings.read(values);
  if (config === null) throw new Error('reports are off');
  for await (const finding of examine(config))
    if (finding.check === 'reports (database)') return finding;
  throw new Error('the database was not examined');
}

test('a role that may do more than read is not accepted', async () => {
  const { url, drop } = await bareDatabase();
  const name = `doctor_${url.split('_').at(-1)}`;
  const reader = new URL(url);
  reader.username = name;
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`CREATE TABLE hours (id int); CREATE ROLE ${name} LOGIN`);
    await client.query(`GRANT SELECT ON hours TO ${name}`);
    expect(await findingOf(reader.href)).toMatchObject({ verdict: 'ok' });
    await client.query('CREATE EXTENSION dblink');
    expect(await findingOf(reader.href)).toMatchObject({
      verdict: 'missing',
      found: expect.stringContaining('may call dblink, '),
      advice: expect.stringContaining('REVOKE EXECUTE'),
    });
    expect(await findingOf(url)).toMatchObject({
      verdict: 'missing',
      found: expect.stringContaining('is a superuser'),
    });
  } finally {
    await client.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
    await client.end();
    await drop();
  }
});
