import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ownFilesIn } from './leftovers.mjs';

test.runIf(process.platform === 'linux')(
  'a folder is left when nobody works in it: another run, at the same time, is none of our business',
  async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'leftovers-'));
    onTestFinished(() => rmSync(temporary, { recursive: true }));
    for (const name of ['millrace-a', 'millrace-b', 'millrace-c', 'somebody-else'])
      mkdirSync(join(temporary, name));
    const reads = ['-e', 'process.stdin.resume()'];
    const inside = spawn(process.execPath, reads, { cwd: join(temporary, 'millrace-a') });
    const named = spawn(process.execPath, [...reads, join(temporary, 'millrace-b', 'data')]);
    await Promise.all([inside, named].map((child) => once(child, 'spawn')));
    expect(ownFilesIn(temporary)).toEqual(['millrace-c']);
    const ended = [inside, named].map((child) => once(child, 'exit'));
    for (const child of [inside, named]) child.stdin.end();
    await Promise.all(ended);
    expect(ownFilesIn(temporary)).toEqual(['millrace-a', 'millrace-b', 'millrace-c']);
  },
);
