// A report of millions of rows through the server, beside psql \copy of the same SELECT on the same Postgres, in turns; beside a
// loop with OFFSET and beside one streamed cursor whose rows become objects, as dashboards export; XLSX beside a library; what
// checkpoints cost; memory and time at two sizes; and small reports on one, two and four servers.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../scripts/services.mjs';
import { checkpoint, csv } from './reports-csv.mjs';
import { peers } from './reports-peers.mjs';
import { servers } from './reports-servers.mjs';
import { fill, writeReports } from './reports-world.mjs';
import { xlsx } from './reports-xlsx.mjs';
import { ratio } from './stats.mjs';

/** In the order of the result line. Each gives its figures. */
const PARTS = { csv, peers, xlsx, checkpoint, servers };

export async function main(args) {
  const options = optionsOf(args);
  const most = options.rows;
  const few = Math.round(most / 5);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const postgres = options.database === undefined ? await startPostgres() : null;
  const url = postgres?.url ?? options.database;
  const figures = {};
  try {
    // Only one part reads all rows.
    await fill(url, options.parts.includes('csv') ? most : few);
    await writeReports(join(folder, 'reports'), few);
    const world = { url, folder, most, few };
    for (const part of options.parts) Object.assign(figures, await PARTS[part](world, options));
  } finally {
    await postgres?.remove();
    await rm(folder, { recursive: true, force: true });
  }
  const line = Object.entries(figures).map(([name, value]) => `${name}=${ratio(value)}`);
  console.log(`\nresult: reports ${line.join(' ')}`);
}

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: Object.keys(PARTS).join(',') },
      rows: { type: 'string', default: '5000000' },
      rounds: { type: 'string', default: '2' },
      servers: { type: 'string', default: '1,2,4' },
      // A Postgres whose table is filled once and stays, for parts that are run one after the other.
      database: { type: 'string' },
    },
  });
  const wanted = values.only.split(',');
  const unknown = wanted.find((part) => !Object.hasOwn(PARTS, part));
  if (unknown !== undefined)
    throw new Error(`--only takes ${Object.keys(PARTS).join(', ')}, and not "${unknown}".`);
  return {
    parts: Object.keys(PARTS).filter((part) => wanted.includes(part)),
    rows: Number(values.rows),
    rounds: Number(values.rounds),
    servers: values.servers.split(',').map(Number),
    database: values.database,
  };
}
