import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type Started, startMain } from './process.ts';

/**
 * The process as people run it: compiled, by plain Node, far from our node_modules. Each test of the file that calls
 * `useFolder` has a folder of its own, and what it starts ends with it.
 */

export let folder: string;
const running: Started[] = [];

export function useFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-main-'));
    mkdirSync(join(folder, 'jobs'));
  });
  afterEach(async () => {
    for (const { child, ended } of running.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });
}

export function jobFile(name: string, text: string): void {
  writeFileSync(join(folder, 'jobs', name), text);
}

/** Most tests are not about identity. */
export const BYPASS = {
  NODE_ENV: 'development',
  AUTH_BYPASS_DEVELOPMENT: 'true',
  MILLRACE_DOCUMENTS: 'false',
};

export function main(env: Record<string, string> = BYPASS): Started {
  const started = startMain({ PORT: '0', ...env }, folder);
  running.push(started);
  return started;
}

export async function addressOf({ says }: Started): Promise<string> {
  const [, address = ''] = await says(/"address":"([^"]+)"/);
  return address;
}

export async function refusal(
  env: Record<string, string> = BYPASS,
): Promise<{ code: number | null; said: string }> {
  const { ended, output } = main(env);
  return { code: await ended, said: output() };
}
