// XLSX beside a library that streams: there, rows come from a cursor as arrays, and the workbook goes to a file as it is made.

import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { writeXlsxStream } from 'hucre/xlsx';
import pg from 'pg';
import { ORDER, SELECT, runReport, timed, warmUpOf } from './reports-world.mjs';
import { figure, median, spread } from './stats.mjs';

const MOST_ROWS = 200_000;

/** In turns, as CSV and psql are; the library runs here, once before it counts. */
export async function xlsx(world, { rounds }) {
  const rows = Math.min(world.few, MOST_ROWS);
  const { client } = world.server;
  const speeds = { ours: [], library: [] };
  await byLibrary(world, warmUpOf(world));
  await runReport(client, { most: warmUpOf(world), format: 'xlsx' });
  for (let round = 0; round < rounds; round += 1) {
    speeds.library.push(rows / (await timed(() => byLibrary(world, rows))));
    const ours = await runReport(client, { most: rows, format: 'xlsx' });
    speeds.ours.push(rows / ours.seconds);
  }
  const ratios = speeds.ours.map((speed, round) => speed / speeds.library[round]);
  const [ours, library] = [median(speeds.ours), median(speeds.library)];
  console.log(
    `XLSX of ${figure(rows)} rows: ${figure(ours)} rows a second, the library ${figure(library)}: ${spread(ratios)}`,
  );
  return { xlsx_vs_library: median(ratios) };
}

async function byLibrary({ url, folder }, rows) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`BEGIN READ ONLY; DECLARE rows CURSOR FOR ${SELECT}${rows} ${ORDER}`);
  const stream = writeXlsxStream(rowsOf(client), { name: 'Sheet1' });
  await stream.pipeTo(Writable.toWeb(createWriteStream(join(folder, 'library.xlsx'))));
  await client.end();
}

async function* rowsOf(client) {
  for (;;) {
    const { rows } = await client.query({ text: 'FETCH 5000 FROM rows', rowMode: 'array' });
    if (rows.length === 0) return;
    yield* rows;
  }
}
