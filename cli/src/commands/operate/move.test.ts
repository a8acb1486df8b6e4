import { describe, expect, test } from 'vitest';
import { documents, run, serverThatPrints } from '../../../test/run.ts';

const EVENTS = [
  { type: 'begin', from: '.millrace/db', to: 'postgres://db/millrace', tables: 2 },
  { type: 'table', table: 'jobs', rows: 1_204, hash: 'a'.repeat(32) },
  { type: 'table', table: 'steered', rows: 0, hash: '0'.repeat(32) },
  { type: 'end', tables: 2, rows: 1_204, sequences: 9 },
  { type: 'files', what: 'files of reports', folder: '/srv/.millrace/reports' },
];

const TO = ['move', '--to', 'postgres://user@db/millrace'];

describe('millrace move', () => {
  test('shows each table with its rows and hash, and what is left to do', async () => {
    const server = serverThatPrints(...EVENTS);
    const ran = await run(TO, null, server);
    expect(ran.code).toBe(0);
    expect(ran.lines).toEqual([
      `jobs                               1,204  ${'a'.repeat(32)}`,
      `steered                                0  ${'0'.repeat(32)}`,
    ]);
    expect(ran.stderr).toContain('From .millrace/db to postgres://db/millrace: 2 tables.');
    expect(ran.stderr).toContain('2 tables, 1,204 rows, 9 sequences.');
    expect(ran.stderr).toContain('files of reports, in the folder /srv/.millrace/reports.');
    expect(server.asked).toEqual([['move', '--to=postgres://user@db/millrace']]);
  });

  test('is JSON for programs, and a line each for scripts', async () => {
    expect(
      documents((await run([...TO, '--json'], null, serverThatPrints(...EVENTS))).stdout),
    ).toEqual(EVENTS);
    expect((await run([...TO, '-q'], null, serverThatPrints(...EVENTS))).stdout).toBe(
      `jobs 1204 ${'a'.repeat(32)}\nsteered 0 ${'0'.repeat(32)}\n`,
    );
  });

  test('has to be told where to, and says what is refused', async () => {
    expect(await run(['move'], null, serverThatPrints())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--to postgres://'),
    });
    const differs = {
      type: 'problem',
      code: 'not_the_same',
      exit: 'failed',
      detail: 'It differs.',
    };
    expect(await run(TO, null, serverThatPrints(differs))).toMatchObject({
      code: 1,
      stderr: 'It differs.\n',
    });
  });
});
