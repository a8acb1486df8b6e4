import { describe, expect, test } from 'vitest';
import { documents, run, serverThatPrints } from '../../../test/run.ts';

const QUEUE = {
  type: 'part',
  part: 'queue',
  state: 'up to date',
  version: '010-acting.sql',
  migrations: [],
};
const LETTERS = {
  type: 'part',
  part: 'letters',
  state: 'applied',
  version: '002-more.sql',
  migrations: ['001-first.sql', '002-more.sql'],
};
const REFUSED = {
  type: 'problem',
  code: 'schema_too_new',
  exit: 'refused',
  detail: 'The database was set up by a newer Millrace.',
};

describe('millrace migrate', () => {
  test('shows each part with what was done', async () => {
    const server = serverThatPrints(QUEUE, LETTERS);
    const ran = await run(['migrate'], null, { terminal: 100, ...server });
    expect(ran.code).toBe(0);
    expect(ran.lines).toEqual([
      'queue       up to date  010-acting.sql',
      'letters     applied     002-more.sql              001-first.sql 002-more.sql',
    ]);
    expect(ran.stderr).toContain('2 migrations applied.');
    expect(server.asked).toEqual([['schema']]);
    expect((await run(['migrate'], null, serverThatPrints(QUEUE))).stderr).toContain(
      'Nothing to do.',
    );
  });

  test('--check ends with 1 when something is to be done', async () => {
    const pending = { ...LETTERS, state: 'pending', version: null };
    const server = serverThatPrints(QUEUE, pending);
    const ran = await run(['migrate', '--check'], null, server);
    expect(ran.code).toBe(1);
    expect(ran.lines[1]).toMatch(/^letters +pending +- +001-first\.sql 002-more\.sql$/);
    expect(ran.stderr).toContain('2 migrations to apply: millrace migrate');
    expect(server.asked).toEqual([['schema', '--check']]);
    const newer = { ...QUEUE, state: 'newer', migrations: ['011-later.sql'] };
    expect((await run(['migrate', '--check'], null, serverThatPrints(newer))).code).toBe(0);
  });

  test('prints SQL and nothing else, for psql', async () => {
    const server = serverThatPrints({ type: 'sql', sql: 'BEGIN;\nCOMMIT;' });
    const ran = await run(['migrate', '--dry-run'], null, server);
    expect(ran).toMatchObject({ code: 0, stdout: 'BEGIN;\nCOMMIT;\n', stderr: '' });
    expect(server.asked).toEqual([['schema', '--script']]);
    expect(
      (await run(['migrate', '--dry-run'], null, serverThatPrints({ type: 'sql', sql: '' })))
        .stdout,
    ).toBe('');
    const grants = serverThatPrints({ type: 'sql', sql: 'GRANT …;' });
    await run(['migrate', '--grants=--app'], null, grants);
    expect(grants.asked).toEqual([['schema', '--grants=--app']]);
  });

  test('is JSON for programs, and names for scripts', async () => {
    const { stdout } = await run(['migrate', '--json'], null, serverThatPrints(QUEUE, LETTERS));
    expect(documents(stdout)).toEqual([QUEUE, LETTERS]);
    expect((await run(['migrate', '-q'], null, serverThatPrints(QUEUE, LETTERS))).stdout).toBe(
      'letters/001-first.sql\nletters/002-more.sql\n',
    );
  });

  test('what is refused is said with its code and ends as it says', async () => {
    expect(await run(['migrate'], null, serverThatPrints(REFUSED))).toMatchObject({
      code: 4,
      stdout: '',
      stderr: `${REFUSED.detail}\n`,
    });
    const { stderr } = await run(['migrate', '--json'], null, serverThatPrints(QUEUE, REFUSED));
    expect(JSON.parse(stderr)).toEqual({ code: 'schema_too_new', detail: REFUSED.detail });
    const away = { ...REFUSED, code: 'database_unreachable', exit: 'unreachable' };
    expect((await run(['migrate'], null, serverThatPrints(away))).code).toBe(5);
  });

  test('wants one thing at a time, and a server that is built', async () => {
    expect((await run(['migrate', '--check', '--dry-run'], null)).code).toBe(2);
    expect(await run(['migrate'], null)).toMatchObject({
      code: 70,
      stderr: expect.stringContaining('npm run build'),
    });
  });
});
