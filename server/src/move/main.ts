import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { KeptFiles } from '@millrace/workload-kit';
import { workloads } from '@millrace/workloads';
import { type Config, readConfig } from '../config/config.ts';
import { ConfigError } from '../config/error.ts';
import { gatherSettings } from '../config/file.ts';
import { type DatabasePlace, readDatabasePlace } from '../config/place.ts';
import { ProgramRefused, reportInLines } from '../program.ts';
import { move } from './move.ts';

// Run by `millrace move`.
let secrets: readonly string[] = [];
await reportInLines(
  async (tell) => {
    const { environment, file } = gatherSettings(process.env, process.cwd());
    const config = readConfig(environment, file);
    const target = targetOf(parseArgs({ options: { to: { type: 'string' } } }).values.to ?? '');
    secrets = [...config.secrets, ...target.secrets];
    await move(config, target, tell);
    for (const files of filesBeside(config)) tell({ type: 'files', ...files });
  },
  () => secrets,
);

/** All that there is to say of it is in its address: DATABASE_* are about the database that is moved. */
function targetOf(url: string): DatabasePlace {
  if (url.trim() === '') throw new ProgramRefused('target_wrong', 'usage', '--to: is missing.');
  try {
    return readDatabasePlace({ DATABASE_URL: url });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((problem) => problem.replace(/^DATABASE_\w+/, '--to'));
    throw new ProgramRefused('target_wrong', 'usage', problems.join('\n'));
  }
}

/** Files outside the database, which are not moved. */
function filesBeside({ workloads: configs, dataFolder }: Config): KeptFiles[] {
  return workloads
    .filter(({ name }) => configs.has(name))
    .flatMap(({ name, keepsFiles }) => keepsFiles?.(configs.get(name), dataFolder) ?? [])
    .map(({ what, folder }) => ({ what, folder: resolve(folder) }))
    .filter(({ folder }) => existsSync(folder));
}
