// Two other ways to export: a loop with OFFSET, and one cursor whose rows become objects. Neither can go on after a crash.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { ORDER, SELECT, runReport, timed, warmUpOf } from './reports-world.mjs';
import { figure } from './stats.mjs';

/** A tenth of the smaller size, since the time of the loop with OFFSET grows with the square of its rows. */
export async function peers(world) {
  const rows = Math.round(world.few / 10);
  const client = new pg.Client(world.url);
  await client.connect();
  try {
    const { client: reports } = world.server;
    await runReport(reports, { most: warmUpOf(world) });
    const ours = await runReport(reports, { most: rows });
    const offset = await timed(() => offsetLoop(client, world, rows));
    const cursor = await timed(() => cursorExport(client, world, rows));
    console.log(
      `${figure(rows)} rows: a loop with OFFSET takes ${figure(offset / ours.seconds, 1)} times as long, a cursor with objects ${figure(cursor / ours.seconds, 1)} times`,
    );
    return {};
  } finally {
    await client.end();
  }
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
