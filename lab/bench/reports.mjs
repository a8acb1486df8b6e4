// A report of millions of rows through the server, beside psql \copy of the same SELECT on the same Postgres, in turns; beside a
// loop with OFFSET and beside one streamed cursor whose rows become objects, as dashboards export; XLSX beside a library; what
// checkpoints cost; memory and time at two sizes; and small reports on one, two and four servers.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@millrace/api';
import { startPostgres } from '../../scripts/services.mjs';
import { checkpoint, csv } from './reports-csv.mjs';
import { peers } from './reports-peers.mjs';
import { servers } from './reports-servers.mjs';
import { fill, settingsOf, writeReports } from './reports-world.mjs';
import { xlsx } from './reports-xlsx.mjs';
import { startServer } from './server.mjs';
import { ratio } from './stats.mjs';

/** In the order of the result line. Each gives its figures; those that need no server of their own share one. */
const SHARING = { csv, peers, xlsx };
const PARTS = { ...SHARING, checkpoint, servers };

export async function main(settings) {
  const options = optionsOf(settings);
  const most = options.rows;
  const few = Math.round(most / 5);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const postgres = options.database === null ? await startPostgres() : null;
  const url = postgres?.url ?? options.database;
  const figures = {};
  try {
    // Only one part reads all rows.
    await fill(url, options.parts.includes('csv') ? most : few);
    await writeReports(join(folder, 'reports'), few);
    const world = { url, folder, most, few };
    const run = async (parts, more) => {
      for (const part of parts)
        Object.assign(figures, await PARTS[part]({ ...world, ...more }, options));
    };
    const sharing = options.parts.filter((part) => Object.hasOwn(SHARING, part));
    if (sharing.length > 0) await withServer(world, (server) => run(sharing, { server }));
    await run(options.parts.filter((part) => !sharing.includes(part)));
  } finally {
    await postgres?.remove();
    await rm(folder, { recursive: true, force: true });
  }
  const line = Object.entries(figures).map(([name, value]) => `${name}=${ratio(value)}`);
  console.log(`\nresult: reports ${line.join(' ')}`);
}

/** It has ended when others are measured: it would take part in their work. */
async function withServer(world, work) {
  const server = await startServer(settingsOf(world), world.folder);
  try {
    await work({ client: createClient({ baseUrl: server.baseUrl }), pid: server.pid });
  } finally {
    await server.stop();
  }
}

function optionsOf({ only, servers: counts, ...others }) {
  const wanted = only.split(',');
  const unknown = wanted.find((part) => !Object.hasOwn(PARTS, part));
  if (unknown !== undefined)
    throw new Error(`--only takes ${Object.keys(PARTS).join(', ')}, and not "${unknown}".`);
  return {
    ...others,
    parts: Object.keys(PARTS).filter((part) => wanted.includes(part)),
    servers: counts.split(',').map(Number),
  };
}
