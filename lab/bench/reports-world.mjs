// What all parts of the reports' figures share: the table, the reports over it, a server's settings, and a report run to its end.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { figure } from './stats.mjs';

const COLUMNS =
  'county, provider_id, work_date, id, recipient_id, hours, rate, amount, status, note, entered_at, approved';
export const SELECT = `SELECT ${COLUMNS} FROM shifts WHERE id <= `;
const KEY = 'county, provider_id, work_date, id';
export const ORDER = `ORDER BY ${KEY}`;

/** A table that has so many rows stays as it is. */
export async function fill(url, rows) {
  const client = new pg.Client(url);
  await client.connect();
  if (!(await hasRows(client, rows))) await make(client, rows);
  // What filling left to be written would be written while others are measured.
  await client.query('CHECKPOINT');
  await client.end();
}

async function hasRows(client, rows) {
  const { rows: found } = await client.query("SELECT to_regclass('shifts') IS NOT NULL AS is");
  if (!found[0].is) return false;
  const { rows: counted } = await client.query('SELECT max(id)::float8 AS most FROM shifts');
  if (counted[0].most >= rows) return true;
  await client.query('DROP TABLE shifts');
  return false;
}

/** The heap is in another order than the key, as it is in tables that have lived for a while. */
async function make(client, rows) {
  console.log(`Filling ${figure(rows)} rows …`);
  await client.query(`
CREATE TABLE shifts (
  county int NOT NULL, provider_id int NOT NULL, work_date date NOT NULL, id bigint NOT NULL, recipient_id int, hours numeric(6,2),
  rate numeric(8,2), amount numeric(10,2), status text, note text, entered_at timestamptz, approved boolean)`);
  await client.query(
    `INSERT INTO shifts SELECT 1 + (i * 7919) % 58, (i * 104729) % 40000, date '2025-01-01' + (i % 365)::int, i, i % 90000, (i % 800) / 100.0,
       18.5, (i % 80000) / 100.0, (ARRAY['open', 'paid', 'held'])[1 + i % 3],
       CASE WHEN i % 4 = 0 THEN NULL ELSE 'visit ' || i || ', "as planned"' END, timestamptz '2025-01-01' + i * interval '7 seconds', i % 5 > 0
     FROM generate_series(1, $1::bigint) i`,
    [rows],
  );
  await client.query(`ALTER TABLE shifts ADD PRIMARY KEY (${KEY})`);
  await client.query('VACUUM ANALYZE shifts');
}

/** `shifts` is all of it; `small` some thousand rows of one county. */
export async function writeReports(folder, few) {
  await mkdir(folder);
  const file = (name, sql) =>
    writeFile(
      join(folder, `${name}.yaml`),
      `title: ${name}\nparameters:\n  most: { type: whole number }\nsql: ${sql}\nkey: [${KEY}]\npublic: true\n`,
    );
  await file('shifts', `${SELECT}:most`);
  await file('small', `${SELECT}:most AND county = 1 AND provider_id < ${Math.round(few / 100)}`);
}

export const settingsOf = ({ url, folder }, more = {}) => ({
  DATABASE_URL: url,
  REPORTS_DATABASE_URL: url,
  MILLRACE_DOCUMENTS: 'false',
  MILLRACE_REPORTS_FOLDER: join(folder, 'reports'),
  REPORTS_OUTPUT_FOLDER: join(folder, 'files'),
  MILLRACE_DATA: join(folder, 'data'),
  ...more,
});

/** Rows of a report before the clock runs. */
export const warmUpOf = ({ few }) => Math.min(few, 20_000);

/** From its start to its end, by the server's own clock. */
export async function runReport(client, { most, name = 'shifts', format = 'csv' }) {
  const run = await client.startReport({
    params: { name },
    body: { parameters: { most }, format },
  });
  for (let seen = run; ; seen = await client.getReportRun({ params: { id: run.id } })) {
    if (seen.state === 'FAILED' || seen.state === 'CANCELED')
      throw new Error(JSON.stringify(seen.error));
    if (seen.state !== 'SUCCEEDED') {
      await pause(100);
      continue;
    }
    const seconds = (Date.parse(seen.finishedAt) - Date.parse(seen.startedAt)) / 1000;
    const { rows } = seen.result;
    if (name === 'shifts' && rows !== most)
      throw new Error(`the report has ${rows} rows of ${most}`);
    await client.deleteReportFile({ params: { id: run.id } }).catch(() => {});
    return { seconds, rows };
  }
}

export async function timed(work) {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
