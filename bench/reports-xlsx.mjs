// XLSX by a library that streams: rows come from a cursor as arrays, and the workbook goes to a file as it is made.

import { createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import { writeXlsxStream } from 'hucre/xlsx';
import pg from 'pg';

/** Seconds, from the first row to the last byte. */
export async function xlsxByLibrary(url, select, path) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`BEGIN READ ONLY; DECLARE rows CURSOR FOR ${select}`);
  const started = performance.now();
  const stream = writeXlsxStream(rowsOf(client), { name: 'Sheet1' });
  await stream.pipeTo(Writable.toWeb(createWriteStream(path)));
  const seconds = (performance.now() - started) / 1000;
  await client.end();
  return seconds;
}

async function* rowsOf(client) {
  for (;;) {
    const { rows } = await client.query({ text: 'FETCH 5000 FROM rows', rowMode: 'array' });
    if (rows.length === 0) return;
    yield* rows;
  }
}
