import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { need } from '../../../scripts/need.mjs';

await need('build');

test('a reader who has seen enough is no fault', async () => {
  const program = join(import.meta.dirname, '../../dist/doctor/main.js');
  const env = {
    PATH: process.env['PATH'] ?? '',
    TMPDIR: tmpdir(),
    PORT: '0',
    MILLRACE_DOCUMENTS: 'false',
  };
  const child = spawn(process.execPath, [program], { env, cwd: tmpdir() });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stdout.destroy();
  const [code] = (await once(child, 'close')) as [number];
  expect([code, said]).toEqual([0, '']);
}, 60_000);
