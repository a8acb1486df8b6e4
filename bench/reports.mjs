// A report of millions of rows through the server, beside psql \copy of the same SELECT on the same Postgres, in turns; beside a
// loop with OFFSET and beside one streamed cursor whose rows become objects, as dashboards export; XLSX beside a library; what
// checkpoints cost; memory and time at two sizes; and small reports on one, two and four servers.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '@millrace/api';
import pg from 'pg';
import { startPostgres } from '../scripts/services.mjs';
import { startServer } from './server.mjs';
import { figure, median, ratio, spread } from './stats.mjs';
import { xlsxByLibrary } from './reports-xlsx.mjs';

const COLUMNS =
  'county, provider_id, work_date, id, recipient_id, hours, rate, amount, status, note, entered_at, approved';
const SELECT = `SELECT ${COLUMNS} FROM shifts WHERE id <= `;
const ORDER = 'ORDER BY county, provider_id, work_date, id';
const SMALL = 200;

export async function main(args) {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: 'string', default: '5000000' },
      rounds: { type: 'string', default: '2' },
      servers: { type: 'string', default: '1,2,4' },
    },
  });
  const most = Number(values.rows);
  const few = Math.round(most / 5);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const postgres = await startPostgres();
  try {
    await fill(postgres.url, most);
    await writeReports(join(folder, 'reports'), few);
    const world = { url: postgres.url, folder, most, few };
    const csv = await csvRounds(world, Number(values.rounds));
    const others = await peers(world);
    const xlsx = await xlsxRound(world);
    const checkpoint = await checkpointCost(world);
    const shared = await sharedWork(world, values.servers.split(',').map(Number));
    report({ csv, others, xlsx, checkpoint, shared, most, few });
  } finally {
    await postgres.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The heap is in another order than the key, as it is in tables that have lived for a while. */
async function fill(url, rows) {
  const client = new pg.Client(url);
  await client.connect();
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
  await client.query('ALTER TABLE shifts ADD PRIMARY KEY (county, provider_id, work_date, id)');
  await client.query('VACUUM ANALYZE shifts');
  await client.end();
}

async function writeReports(folder, few) {
  await mkdir(folder);
  const file = (name, sql, key) =>
    writeFile(
      join(folder, `${name}.yaml`),
      `title: ${name}\nparameters:\n  most: { type: whole number }\nsql: ${sql}\nkey: [${key}]\npublic: true\n`,
    );
  await file('shifts', `${SELECT}:most`, 'county, provider_id, work_date, id');
  await file(
    'small',
    `${SELECT}:most AND county = 1 AND provider_id < ${Math.round(few / 100)}`,
    'county, provider_id, work_date, id',
  );
}

const settingsOf = ({ url, folder }, more = {}) => ({
  DATABASE_URL: url,
  REPORTS_DATABASE_URL: url,
  MILLRACE_REPORTS_FOLDER: join(folder, 'reports'),
  REPORTS_OUTPUT_FOLDER: join(folder, 'files'),
  MILLRACE_DATA: join(folder, 'data'),
  ...more,
});

/** psql and the server take turns, so that what else the machine does meets both. */
async function csvRounds(world, rounds) {
  const { most, few, folder } = world;
  const server = await startServer(settingsOf(world), folder);
  const client = createClient({ baseUrl: server.baseUrl });
  const ratios = [];
  const sizes = { few: [], most: [] };
  try {
    await runReport(client, { most: few });
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, rows] of [
        ['few', few],
        ['most', most],
      ]) {
        const psql = await psqlCopy(world, rows);
        const memory = watchMemory(server.pid);
        const ours = await runReport(client, { most: rows });
        const rss = memory.stop();
        if (ours.rows !== rows) throw new Error(`the report has ${ours.rows} rows of ${rows}`);
        sizes[name].push({ seconds: ours.seconds, rss });
        if (name === 'most') ratios.push(psql / ours.seconds);
        console.log(
          `${figure(rows)} rows: psql ${figure(psql, 1)} s, report ${figure(ours.seconds, 1)} s, ${figure(rss)} MB`,
        );
      }
    }
  } finally {
    await server.stop();
  }
  return { ratios, sizes };
}

async function psqlCopy({ url, folder }, rows) {
  const out = join(folder, 'psql.csv');
  const started = performance.now();
  await command('psql', [
    url,
    '-qc',
    `\\copy (${SELECT}${rows} ${ORDER}) TO '${out}' WITH (FORMAT csv, HEADER)`,
  ]);
  return (performance.now() - started) / 1000;
}

async function command(name, args) {
  const child = spawn(name, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}

/** From its start to its end, by the server's own clock. */
async function runReport(client, { most, name = 'shifts', format = 'csv' }) {
  const run = await client.startReport({
    params: { name },
    body: { parameters: { most }, format },
  });
  for (let seen = run; ; seen = await client.getReportRun({ params: { id: run.id } })) {
    if (seen.state === 'FAILED' || seen.state === 'CANCELED')
      throw new Error(JSON.stringify(seen.error));
    if (seen.state !== 'SUCCEEDED') {
      await pause(50);
      continue;
    }
    const seconds = (Date.parse(seen.finishedAt) - Date.parse(seen.startedAt)) / 1000;
    await client.deleteReportFile({ params: { id: run.id } }).catch(() => {});
    return { seconds, rows: seen.result.rows };
  }
}

function watchMemory(pid) {
  const samples = [];
  const read = async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(status) ?? [];
    if (kilobytes !== undefined) samples.push(Number(kilobytes) / 1024);
  };
  const timer = setInterval(() => void read(), 500);
  return {
    stop() {
      clearInterval(timer);
      return median(samples);
    },
  };
}

/** A fifth of a fifth for the loop with OFFSET, whose time grows with the square of its rows. */
async function peers(world) {
  const rows = Math.round(world.few / 5);
  const client = new pg.Client(world.url);
  await client.connect();
  const server = await startServer(settingsOf(world), world.folder);
  try {
    const ours = await runReport(createClient({ baseUrl: server.baseUrl }), { most: rows });
    const offset = await timed(() => offsetLoop(client, world, rows));
    const cursor = await timed(() => cursorExport(client, world, rows));
    return { rows, offset: offset / ours.seconds, cursor: cursor / ours.seconds };
  } finally {
    await server.stop();
    await client.end();
  }
}

async function timed(work) {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

async function offsetLoop(client, { folder }, rows) {
  const out = createWriteStream(join(folder, 'offset.csv'));
  for (let offset = 0; offset < rows; offset += 1_000) {
    const { rows: page } = await client.query(
      `${SELECT}${rows} ${ORDER} LIMIT 1000 OFFSET ${offset}`,
    );
    out.write(page.map(csvLine).join(''));
  }
  out.end();
  await once(out, 'finish');
}

async function cursorExport(client, { folder }, rows) {
  const out = createWriteStream(join(folder, 'cursor.csv'));
  await client.query(`BEGIN READ ONLY; DECLARE rows CURSOR FOR ${SELECT}${rows} ${ORDER}`);
  for (;;) {
    const { rows: page } = await client.query('FETCH 5000 FROM rows');
    if (page.length === 0) break;
    if (!out.write(page.map(csvLine).join(''))) await once(out, 'drain');
  }
  await client.query('COMMIT');
  out.end();
  await once(out, 'finish');
}

function csvLine(row) {
  const fields = Object.values(row).map((value) => {
    if (value === null) return '';
    const text = value instanceof Date ? value.toISOString() : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${fields.join(',')}\n`;
}

async function xlsxRound(world) {
  const rows = Math.min(world.few, 200_000);
  const server = await startServer(settingsOf(world), world.folder);
  try {
    const client = createClient({ baseUrl: server.baseUrl });
    await runReport(client, { most: 20_000, format: 'xlsx' });
    const library = await xlsxByLibrary(
      world.url,
      `${SELECT}${rows} ${ORDER}`,
      join(world.folder, 'library.xlsx'),
    );
    const ours = await runReport(client, { most: rows, format: 'xlsx' });
    return { rows, ours: rows / ours.seconds, library: rows / library };
  } finally {
    await server.stop();
  }
}

/** The same report in chunks of 1.5 MB and of 100 MB: what the syncs and saves between them take. */
async function checkpointCost(world) {
  const seconds = [];
  for (const bytes of ['1500000', '100000000']) {
    const server = await startServer(
      settingsOf(world, { REPORTS_CHUNK_BYTES: bytes }),
      world.folder,
    );
    try {
      const client = createClient({ baseUrl: server.baseUrl });
      await runReport(client, { most: 20_000 });
      seconds.push((await runReport(client, { most: world.few })).seconds);
    } finally {
      await server.stop();
    }
  }
  const [often = Number.NaN, seldom = Number.NaN] = seconds;
  return often / seldom - 1;
}

/** Small reports for all of them at once, shared by so many servers on one database. */
async function sharedWork(world, counts) {
  const perSecond = new Map();
  for (const count of counts) {
    const servers = await Promise.all(
      Array.from({ length: count }, (_, n) =>
        startServer(
          settingsOf(world, { MILLRACE_DATA: join(world.folder, `data-${n}`) }),
          world.folder,
        ),
      ),
    );
    try {
      const client = createClient({ baseUrl: servers[0].baseUrl });
      await runReport(client, { name: 'small', most: world.few });
      const started = performance.now();
      const ids = [];
      for (let n = 0; n < SMALL; n += 1) {
        const body = { parameters: { most: world.few - n }, format: 'csv' };
        ids.push((await client.startReport({ params: { name: 'small' }, body })).id);
      }
      await allOver(client, new Set(ids));
      perSecond.set(count, (SMALL * 1000) / (performance.now() - started));
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  }
  return perSecond;
}

async function allOver(client, waited) {
  while (waited.size > 0) {
    await pause(200);
    for (const id of [...waited].slice(0, 20)) {
      const { state, error, attempt } = await client.getReportRun({ params: { id } });
      if (state === 'FAILED' || state === 'CANCELED') throw new Error(JSON.stringify(error));
      if (attempt > 1) throw new Error(`${id} was executed ${attempt} times`);
      if (state === 'SUCCEEDED') waited.delete(id);
    }
  }
}

function report({ csv, others, xlsx, checkpoint, shared, most, few }) {
  const { ratios, sizes } = csv;
  const of = (name, what) => median(sizes[name].map((each) => each[what]));
  console.log(`\nCSV of ${figure(most)} rows, psql's time to ours: ${spread(ratios)}`);
  console.log(
    `${figure(others.rows)} rows: a loop with OFFSET takes ${figure(others.offset, 1)} times as long, a cursor with objects ${figure(others.cursor, 1)} times`,
  );
  console.log(`XLSX: ${figure(xlsx.ours)} rows a second, the library ${figure(xlsx.library)}`);
  for (const [count, rate] of shared)
    console.log(`${count} servers: ${figure(rate, 1)} small reports a second`);
  const one = shared.get(1) ?? Number.NaN;
  const four = shared.get(4) ?? Number.NaN;
  console.log(
    `\nresult: reports csv_vs_copy=${ratio(median(ratios))} rss_5m_vs_1m=${ratio(of('most', 'rss') / of('few', 'rss'))} ` +
      `time_5m_vs_1m=${ratio(of('most', 'seconds') / of('few', 'seconds') / (most / few))} xlsx_vs_library=${ratio(xlsx.ours / xlsx.library)} ` +
      `checkpoint_cost=${ratio(checkpoint)} four_vs_one=${ratio(four / one)}`,
  );
}
