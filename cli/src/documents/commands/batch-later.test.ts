import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAILED_ROWS, PDF, ZIP, aBatch, aFailedRow } from '../../../test/documents.ts';
import { TO_CORRECT, rows } from '../../../test/batches.ts';
import { documents as parsed } from '../../../test/run.ts';

describe('a batch that is there', () => {
  test('has a status, with every row that failed', async () => {
    const { millrace, documents } = await rows();
    documents.batches = [aBatch(1, 3, { submitter: 'ada@example.com' })];
    documents.items = [aFailedRow(2), aFailedRow(3), aFailedRow(5)];
    const { code, lines, stderr } = await millrace('batch status batch-3');
    expect(code).toBe(1);
    expect(lines).toEqual([
      'batch-3  FINISHED',
      '  template  tpl-7',
      '  rows      4, 1 succeeded, 3 failed',
      '  made      now by ada@example.com',
      '  ended     in 41 s',
      '  kept      until 2026-02-07T12:00:00.000Z',
      '',
      ...[2, 3, 5].map((row) => `  line ${row}: validation_error: The field Amount is missing.`),
    ]);
    // What is wrong is the data: the same again would fail again.
    expect(stderr).toBe(`${TO_CORRECT}\n`);
    expect((await millrace('batch status batch-3 -q')).stdout).toBe('FINISHED\n');
    const [json] = parsed((await millrace('batch status batch-3 --json')).stdout);
    expect(json).toMatchObject({ id: 'batch-3', failures: documents.items });
    const error = { code: 'invalid_row', message: 'The line is not JSON.' };
    documents.items = [{ ...aFailedRow(2), error }];
    expect((await millrace('batch status batch-3')).stderr).toBe(`${TO_CORRECT}\n`);
    const timeout = { code: 'conversion_timeout', message: 'It took too long.' };
    documents.items = [{ ...aFailedRow(2), error: timeout }];
    expect((await millrace('batch status batch-3')).stderr).toBe(
      `\n"millrace batch retry batch-3" generates the missing ones.\n${TO_CORRECT}\n`,
    );
    documents.batches = [aBatch(1, 1)];
    expect((await millrace('batch status batch-3 -q')).code).toBe(0);
    expect((await millrace('batch status batch-4')).code).toBe(3);
  });

  test('is cancelled, retried and fetched', async () => {
    const { millrace, documents, zip } = await rows();
    documents.batches = [aBatch(1, 2)];
    expect((await millrace('batch cancel batch-3')).stdout).toBe(
      '1 row cancelled; finished documents stay.\n',
    );
    expect((await millrace('batch retry batch-3')).stdout).toBe('2 rows queued again.\n');
    expect(parsed((await millrace('batch retry batch-3 --json')).stdout)).toEqual([
      { id: 'batch-3', retried: 2 },
    ]);
    expect((await millrace(`batch download batch-3 -o ${zip}`)).stdout).toBe(`${zip}\n`);
    expect((await readFile(zip)).equals(ZIP)).toBe(true);
    expect((await millrace('batch download batch-3 -o - -q')).bytes.equals(ZIP)).toBe(true);
    const merged = await millrace('batch download batch-3 --merge -o - -q');
    expect(merged.bytes.equals(PDF)).toBe(true);
  });

  test('gives its failed rows, and takes them back corrected', async () => {
    const { millrace, documents, folder } = await rows();
    documents.batches = [aBatch(2, 2)];
    const file = join(folder, 'fixed.csv');
    const ran = await millrace(`batch failed batch-3 -o ${file}`);
    expect(ran).toMatchObject({ code: 0, stdout: `${file}\n` });
    expect(await readFile(file, 'utf8')).toBe(FAILED_ROWS);
    const retried = await millrace(`batch retry batch-3 --data ${file}`);
    expect(retried).toMatchObject({ code: 0, stdout: '2 rows queued again.\n' });
    expect(documents.uploads).toEqual([{ type: 'text/csv', text: FAILED_ROWS }]);
    expect((await millrace('batch failed batch-4 -o -')).code).toBe(3);
  });

  test('is in the list, newest first, with as many as were asked for', async () => {
    const { millrace, documents } = await rows();
    documents.batches = [
      aBatch(1, 0, { id: 'batch-5', submitter: 'ada@example.com' }),
      aBatch(4, 0, { id: 'batch-4' }),
      aBatch(1, 3),
    ];
    const { code, lines, stderr } = await millrace('batch list');
    expect(code).toBe(0);
    expect(lines).toEqual([
      'BATCH    STATE     ROWS  DONE  FAILED  TEMPLATE  MADE  BY',
      'batch-5  RUNNING      4     1       0  tpl-7     now   ada@example.com',
      'batch-4  FINISHED     4     4       0  tpl-7     now   -',
      'batch-3  FINISHED     4     4       3  tpl-7     now   -',
    ]);
    expect(stderr).toBe('');
    const two = await millrace('batch list --limit 2 -q');
    expect(two).toMatchObject({ stdout: 'batch-5\nbatch-4\n', stderr: '' });
    expect((await millrace('batch list --limit 2')).stderr).toBe(
      'There are more: --limit N or --all shows them.\n',
    );
    expect((await millrace('batch list --all -q')).lines).toHaveLength(3);
    const json = await millrace('batch list --limit 1 --json');
    expect(parsed(json.stdout)).toEqual([documents.batches[0]]);
    documents.batches = [];
    expect((await millrace('batch list')).stderr).toBe(
      'No batches. Old ones are deleted after MILLRACE_KEEP_DOCUMENTS.\n',
    );
  });
});
