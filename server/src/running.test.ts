import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { advertiseServer } from './running.ts';

const TOLD = { url: 'http://127.0.0.1:3000', client: null, simulatedOrg: null };

describe('what the command line learns of a server', () => {
  const warnings: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (_: object, text: string) => warnings.push(text),
    error() {},
  };

  test('lies in a folder that is made for it, until it is taken back', async () => {
    const home = mkdtempSync(join(tmpdir(), 'millrace-home-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const folder = join(home, '.local/state/millrace/running');
    const withdraw = await advertiseServer(folder, TOLD, log);
    expect(readdirSync(folder)).toHaveLength(1);
    await withdraw();
    expect(readdirSync(folder)).toEqual([]);
  });

  // Node's own recursive mkdir never ended there: no start, and no stop either.
  test.skipIf(process.platform !== 'linux')(
    'is reported to nobody where nothing can be made, and the server goes on',
    async () => {
      await advertiseServer('/proc/.local/state/millrace/running', TOLD, log);
      expect(warnings).toEqual([expect.stringContaining('name it with --url')]);
    },
  );
});
