// Work of every kind, as a day would bring it: some by the API, and what takes hours by the database.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

const root = join(import.meta.dirname, '../..');
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const PAST_JOBS = 2_400;
/** Replicas report every ten seconds. */
const BEAT_MS = 8_000;

/**
 * @param {string} url of the server @param {string} token @param {string} databaseUrl
 * @returns {Promise<() => Promise<void>>} ends what goes on until then
 */
export async function seed(url, token, databaseUrl) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(readFileSync(join(root, 'console/test/history.sql'), 'utf8'), [PAST_JOBS, '']);
  await client.query(readFileSync(join(import.meta.dirname, 'day.sql'), 'utf8'));
  const beat = setInterval(() => {
    void client.query(
      "UPDATE millrace.workers SET seen_at = now() WHERE worker IN ('prod-2', 'prod-3')",
    );
  }, BEAT_MS);
  await byApi(url, token);
  return async () => {
    clearInterval(beat);
    await client.end();
  };
}

/** @param {string} url @param {string} token */
async function byApi(url, token) {
  /** @param {string} path @param {unknown} body @param {string} [type] */
  const post = async (path, body, type) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type ?? 'application/json' },
      body: type === undefined ? JSON.stringify(body) : /** @type {Uint8Array} */ (body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  for (let rows = 1; rows <= 18; rows++)
    await post('/jobs', {
      kind: 'warehouse.sync',
      key: `stock-${rows}`,
      data: { region: 'north', rows },
    });
  for (const name of ['ledger-q3', 'ledger-q2', 'ledger-q1'])
    await post('/jobs', { kind: 'ledger.export', key: name, data: { chunks: 400 } });
  await post('/kinds/county.load/pause', { reason: 'the warehouse reloads until ten' });
  for (let county = 1; county <= 62; county++)
    await post('/jobs', { kind: 'county.load', data: { county } });
  await documents(post);
  for (const [name, value] of Object.entries({
    'Slow conversions': { phase: 'failed', errorCode: 'conversion_timeout' },
    'Stock, today': { kind: 'warehouse.sync', since: '24h' },
  }))
    await post(`/saved/views/${encodeURIComponent(name)}`, { value });
  await post('/runs', {
    sql: 'SELECT TOP 200 JobID, EmailName, FromName FROM _Job ORDER BY JobID',
    wait: 60,
  });
  await post('/reports/timesheet-detail/runs', { parameters: {}, wait: 60 });
  await post('/pipelines/monthly-statements/runs', {});
}

/** Two templates, one of them in two versions, and batches of which one has failed rows. @param {(path: string, body: unknown, type?: string) => Promise<any>} post */
async function documents(post) {
  /** @param {string} path */
  const example = (path) => readFileSync(join(root, 'examples', path));
  await post('/templates/invoice', example('invoice/template.docx'), DOCX);
  await post('/templates/offer-letter', example('report/template.docx'), DOCX);
  await post('/templates/offer-letter', example('offer-letter/template.docx'), DOCX);
  const [head = '', ...rows] = example('offer-letter/candidates.csv').toString().trim().split('\n');
  const csv = [head, ...Array.from({ length: 16 }, () => rows).flat()].join('\n');
  const asked =
    '?templateId=offer-letter&strict=true&allowMissing=true&outputFileName=Offer%20{{@number}}';
  await post(`/documents/batch${asked}`, Buffer.from(csv), 'text/csv');
  // Some rows lack their last value.
  const gaps = csv
    .split('\n')
    .map((line, index) => (index % 17 === 5 ? line.replace(/[^,]*$/, '') : line))
    .join('\n');
  await post(`/documents/batch${asked}`, Buffer.from(gaps), 'text/csv');
  await post('/saved/batches/Offers%20of%20the%20month', {
    value: {
      template: 'offer-letter',
      version: 1,
      columns: head.split(','),
      fields: [],
      filled: {},
      output: { name: 'Offer {{@number}}', locale: 'en-GB', format: 'PDF', gaps: 'hold' },
      dataLocale: 'en-GB',
      rows: 212,
    },
  });
}
