import { describe, expect, test } from 'vitest';
import { queriesFixture, ready } from '../../../test/queries.ts';
import { documents } from '../../../test/run.ts';

describe('millrace runs', () => {
  test('lists them', async () => {
    const { millrace, server } = await queriesFixture();
    const { code, lines } = await millrace('runs --status failed --since 1h');
    expect(code).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^RUN +STATUS +ROWS +TOOK +CALLS +MID +MADE +BY +SQL$/),
      expect.stringMatching(/^run-7 +queued +- .* SELECT 1 AS One$/),
    ]);
    expect(server.requests[0]).toContain('status=failed');
    expect((await millrace('runs -q')).stdout).toBe('run-7\n');
    expect(documents((await millrace('runs --json')).stdout)).toMatchObject([{ id: 'run-7' }]);
  });

  test('the list has the SQL of each, and why it failed or waits beside it', async () => {
    const error = { code: 'query_failed', message: 'Invalid column.' };
    const { millrace } = await queriesFixture({ sights: [{ status: 'failed', error }] });
    await millrace('runs show run-7');
    expect((await millrace('runs')).lines).toEqual([
      expect.stringMatching(/ SQL +NOTE$/),
      expect.stringMatching(/ SELECT 1 AS One +Invalid column\.$/),
    ]);
  });

  test('show has all of one; its exit code says whether it went well', async () => {
    const error = { code: 'query_failed', message: 'Invalid column.' };
    const { millrace } = await queriesFixture({ sights: [{ status: 'failed', error }] });
    const { code, stdout } = await millrace('runs show run-7');
    expect(code).toBe(1);
    expect(stdout).toContain('query_failed: Invalid column.');
    expect(await millrace('runs show run-8')).toMatchObject({
      code: 3,
      stderr: 'There is no run "run-8".\n',
    });
  });

  test('watch follows one; Ctrl-C ends the looking alone', async () => {
    const { millrace, queries } = await queriesFixture({
      sights: [{ status: 'running' }, { status: 'running' }, ready(2)],
    });
    const { code, stderr } = await millrace('runs watch run-7');
    expect(code).toBe(0);
    expect(stderr).toContain('2 rows, 12 s');
    queries.sights = [{ state: 'PROCESSING', status: 'running', finishedAt: null }];
    const left = await millrace('runs watch run-7', { onWait: (_, interrupt) => interrupt() });
    expect(left.code).toBe(130);
    expect(queries.canceled).toEqual([]);
  });

  test('cancel stops one, and results shows its rows', async () => {
    const { millrace, queries } = await queriesFixture({ sights: [ready(2)] });
    expect((await millrace('runs results run-7 --limit 1')).lines).toEqual([
      'Email            Opens',
      'ada@example.com     12',
    ]);
    expect((await millrace('runs cancel run-7')).stdout).toBe('run-7 is cancelled.\n');
    expect(queries.canceled).toEqual(['run-7']);
  });

  test.each([
    ['runs shwo run-7', 'Did you mean show?'],
    ['runs show', 'Missing argument'],
    ['runs show run-7 --limit 5', 'does not take --limit'],
    ['runs --limit 5 --all', 'Give either --limit or --all.'],
  ])('%s is wrong usage', async (line, sentence) => {
    const { millrace } = await queriesFixture();
    const { code, stderr } = await millrace(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });
});

describe('millrace snippets', () => {
  test('saves, lists, shows and deletes', async () => {
    const { millrace } = await queriesFixture();
    expect((await millrace('snippets')).stderr).toContain('No snippets.');
    const saved = await millrace(`snippets save opens 'SELECT 1 AS One' --shared`);
    expect(saved).toMatchObject({ code: 0, stdout: 'opens is saved and shared.\n' });
    expect((await millrace(`snippets save opens 'SELECT 1 AS One' --shared`)).stdout).toBe(
      'opens is replaced and shared.\n',
    );
    await millrace('snippets save mine', { stdin: 'SELECT 2 AS Two\n' });
    expect((await millrace('snippets')).lines).toEqual([
      expect.stringMatching(/^SNIPPET +SHARED +BY +SAVED +SQL$/),
      expect.stringMatching(/^opens +yes +ada@example\.com .* SELECT 1 AS One$/),
      expect.stringMatching(/^mine +no .* SELECT 2 AS Two$/),
    ]);
    expect((await millrace('snippets show opens')).stdout).toBe('SELECT 1 AS One\n');
    expect(await millrace('snippets show none')).toMatchObject({ code: 3 });
    expect((await millrace('snippets delete opens')).stdout).toBe('opens is deleted.\n');
  });
});

describe('millrace sql', () => {
  test('check asks Marketing Cloud too, unless asked not to', async () => {
    const { millrace, queries } = await queriesFixture();
    const ran = await millrace('sql check -', { stdin: 'SELECT 1 AS One' });
    expect(ran).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No errors. Marketing Cloud takes it. It gives 1 column.\n',
    });
    await millrace('sql check - --offline', { stdin: 'SELECT 1 AS One' });
    expect(queries.bodies).toMatchObject([
      { askMarketingCloud: true },
      { askMarketingCloud: false },
    ]);
  });

  test('check shows what is wrong, also far to the right of a long line', async () => {
    const sql = `SELECT ${'a, '.repeat(60)}b b b`;
    const problem = { severity: 'error', code: 'syntax', message: 'No.', line: 1 } as const;
    const problems = [{ ...problem, column: sql.length }];
    const report = { valid: false, problems, columns: null, askedMarketingCloud: false };
    const { millrace } = await queriesFixture({ report });
    const { code, lines } = await millrace('sql check -', { stdin: sql, terminal: 60 });
    expect(code).toBe(1);
    const [, shown = '', caret = ''] = lines;
    expect(shown).toHaveLength(caret.length);
    expect(shown).toMatch(/^ {2}1 \| ….*b b b$/);
  });

  test('format prints it, laid out', async () => {
    const { millrace } = await queriesFixture();
    const { stdout } = await millrace('sql format -', { stdin: 'select 1 as One' });
    expect(stdout).toBe('SELECT\n  1 AS One\n');
  });
});
