// node docs/operations/dashboards/build.mjs: writes the JSON files beside this one. A test says when they are out of date.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { capacity } from './capacity.mjs';
import { overview } from './overview.mjs';
import { performance } from './performance.mjs';
import { queries } from './queries.mjs';
import { reliability } from './reliability.mjs';
import { reports } from './reports.mjs';

export const dashboards = { overview, performance, reliability, capacity, queries, reports };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = Object.entries(dashboards).map(([name, content]) => {
    const file = fileURLToPath(new URL(`${name}.json`, import.meta.url));
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
    return file;
  });
  const format = fileURLToPath(new URL('../../../node_modules/.bin/oxfmt', import.meta.url));
  const { status } = spawnSync(format, files, { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
