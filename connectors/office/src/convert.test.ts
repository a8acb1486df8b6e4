import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/world.ts';
import { convertOn } from './convert.ts';
import { createJob } from './job.ts';
import type { Member } from './processes/members.ts';

test('files that cannot be removed are reported, and the document ends as it did', async () => {
  const folder = temporaryFolder();
  const member = {
    rssMb: 0,
    process: {
      folder,
      alive: () => true,
      // In place of the folder stands a file: what was in it can be neither found nor removed.
      async run() {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, '');
        return { type: 'failed', code: 'conversion_failed', reason: 'It is broken.' };
      },
    },
  } as unknown as Member;
  const job = createJob(
    {
      bytes: Buffer.from('a'),
      lane: 'batch',
      task: (files) => ({ type: 'pdf', ...files, filter: '', password: null }),
    },
    { aborted() {}, converted() {}, failed() {} },
  );
  const left = new Promise<unknown>((resolve) => {
    const params = { place: '1', timeoutMs: 1_000, memoryMb: 500, account: null, onLeft: resolve };
    void convertOn(member, job, params).then((attempt) =>
      expect(attempt).toMatchObject({ type: 'failed', error: { code: 'conversion_failed' } }),
    );
  });
  expect(String(await left)).toContain('ENOTDIR');
});
