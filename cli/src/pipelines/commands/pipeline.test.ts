import { describe, expect, test } from 'vitest';
import { refusal } from '../../../test/contract-server.ts';
import {
  aPipeline,
  aRun,
  aStep,
  customersDone,
  failed,
  lettersAt,
  pipelinesFixture,
  succeeded,
} from '../../../test/pipelines.ts';
import { documents } from '../../../test/run.ts';

const RUN = 'pipeline run statements --month 2026-01';

describe('millrace pipeline run', () => {
  test('tells each change of a step in a pipe, and the end', async () => {
    const { millrace, pipelines } = await pipelinesFixture();
    const ran = await millrace(`${RUN} --key june`);
    expect(ran).toMatchObject({ code: 0, stdout: 'pipe-7 succeeded: 3 steps, 1 skipped, 42 s.\n' });
    expect(ran.stderr.split('\n')).toEqual([
      'pipe-7 customers done (204 rows)',
      'pipe-7 letters running',
      'pipe-7 letters running 30 %',
      'pipe-7 letters done (203 of 204 documents)',
      'pipe-7 mail skipped: nothing before it',
      '',
    ]);
    expect(pipelines.bodies).toEqual([{ parameters: { month: '2026-01' }, key: 'june' }]);
  });

  test('shows a line for each step in a terminal, and leaves the last ones there', async () => {
    const { millrace } = await pipelinesFixture();
    const { stderr } = await millrace(RUN, { terminal: 100 });
    expect(stderr).toContain('  ✓ Customers with orders  12 s   204 rows');
    expect(stderr).toMatch(/ {2}● A letter for each {6}\d\.\d s +━━━━─{12} {2}30 % {2}61 of 200/);
    expect(stderr).toContain('  ○ Mail to the board             waits for A letter for each');
    expect(stderr).toContain('  – Mail to the board            skipped: nothing before it');
  });

  test('folds steps that are over where the terminal is too low', async () => {
    const steps = [
      { ...customersDone, name: 'one', title: 'One' },
      { ...customersDone, name: 'two', title: 'Two' },
      lettersAt(61),
      aStep('mail'),
    ];
    const { millrace } = await pipelinesFixture({ sights: [{ steps }, succeeded] });
    const { stderr } = await millrace(RUN, { terminal: 100, rows: 5 });
    expect(stderr).toContain('  ✓ 2 steps before');
    expect(stderr).not.toContain('✓ Two');
    expect(stderr).toContain('● A letter for each');
  });

  test.each([
    ['--mnth 2026-01', 'Unknown option --mnth: did you mean --month?'],
    ['--month 2026-01 --no-wiat', 'Unknown option --no-wiat: did you mean --no-wait?'],
    [
      '--month 2026-01 --zebra 1',
      'Unknown option --zebra: the pipeline "statements" takes --month, --mode.',
    ],
    ['', 'The pipeline "statements" needs --month 2026-01.'],
  ])('is refused with "%s" before anything runs', async (given, sentence) => {
    const { millrace, pipelines } = await pipelinesFixture();
    const ran = await millrace(`pipeline run statements ${given}`);
    expect(ran).toMatchObject({ code: 2, stderr: `${sentence}\n` });
    expect(pipelines.bodies).toEqual([]);
  });

  test('says what is wrong with a value by its option', async () => {
    const { millrace, service } = await pipelinesFixture();
    service.handlers.startPipeline = () => {
      throw refusal('invalid_pipeline_parameters', 'month: Write a month.', [
        { path: 'parameters.month', message: 'Write a month, such as 2026-01.' },
      ]);
    };
    expect(await millrace('pipeline run statements --month x')).toMatchObject({
      code: 2,
      stderr: '--month: Write a month, such as 2026-01.\n',
    });
  });

  test('ends with 1 where it failed: why, what to do, and what resuming does', async () => {
    const { millrace } = await pipelinesFixture({ sights: [failed] });
    const ran = await millrace(RUN);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr.split('\n').slice(-4)).toEqual([
      'pipe-7 failed. letters: 1 of 204 documents could not be made. (documents_failed)',
      'Some documents of the batch could not be made. Correct their rows or the template, then resume the run; or let the step say failedRows: continue.',
      '"millrace pipeline resume pipe-7" tries letters again, then does mail. customers is not run again.',
      '',
    ]);
  });

  test('goes on after Ctrl-C, which says how to look again or cancel', async () => {
    const { millrace, pipelines } = await pipelinesFixture();
    const ran = await millrace(RUN, { onWait: (_, interrupt) => interrupt() });
    expect(ran.code).toBe(130);
    expect(pipelines.canceled).toEqual([]);
    expect(ran.stderr).toContain(
      'pipe-7 continues in the background. "millrace pipeline watch pipe-7" shows its progress, "millrace pipeline cancel pipe-7" stops it.',
    );
  });

  test('only prints the id with --no-wait; -q and --json for scripts', async () => {
    const { millrace, pipelines } = await pipelinesFixture();
    expect(await millrace(`${RUN} --no-wait`)).toMatchObject({ code: 0, stdout: 'pipe-7\n' });
    const quiet = await millrace(`${RUN} -q`);
    expect(quiet).toMatchObject({ code: 0, stdout: 'pipe-7\n', stderr: '' });
    pipelines.sights = [failed];
    pipelines.run = aRun();
    const ran = await millrace(`${RUN} --json`);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(documents(ran.stdout)).toMatchObject([{ id: 'pipe-7', state: 'FAILED' }]);
  });
});

describe('millrace pipeline', () => {
  test('shows one that failed: steps, outputs, errors with their help, and what resuming does', async () => {
    const { millrace } = await pipelinesFixture({
      sights: [{ ...failed, fileChanged: true }],
    });
    const ran = await millrace('pipeline show pipe-7');
    expect(ran.code).toBe(1);
    expect(ran.lines[0]).toBe('pipe-7  FAILED');
    expect(ran.lines).toContain('  parameters  month=2026-01');
    expect(ran.lines).toContain(
      '  ✗ A letter for each      30 s  1 of 204 documents could not be made.',
    );
    expect(ran.lines).toContain('  ○ Mail to the board            not begun');
    expect(ran.lines).toContain('  output  rows=204 runId=run-7');
    expect(ran.lines).toContain(
      '  error  1 of 204 documents could not be made. (documents_failed)',
    );
    expect(ran.stdout).toContain('  help   Some documents of the batch could not be made.');
    expect(ran.lines.at(-1)).toBe(
      '  "millrace pipeline resume pipe-7" tries letters again, then does mail. customers is not run again. The file has changed since: add --with-file to go by it.',
    );
  });

  test('says nothing of resuming where a failure was passed over', async () => {
    const passed = aStep('letters', {
      state: 'failed',
      onFailure: 'continue',
      error: { code: 'own', message: 'No.' },
    });
    const { millrace } = await pipelinesFixture({
      sights: [{ ...succeeded, steps: [customersDone, passed] }],
    });
    const ran = await millrace('pipeline show pipe-7');
    expect(ran.code).toBe(0);
    expect(ran.stdout).not.toContain('resume');
    expect((await millrace('pipeline watch pipe-7')).stdout).toBe(
      'pipe-7 succeeded: 2 steps, 1 failed and skipped, 42 s.\n',
    );
  });

  test('tells a step that was stopped from one that had not begun', async () => {
    const stopped = { ...lettersAt(61), state: 'canceled' } as const;
    const { millrace } = await pipelinesFixture({
      sights: [
        {
          state: 'CANCELED',
          steps: [customersDone, stopped, aStep('mail', { state: 'canceled' })],
        },
      ],
    });
    expect((await millrace('pipeline show pipe-7')).lines.at(-1)).toBe(
      '  "millrace pipeline resume pipe-7" tries letters again, then does mail. customers is not run again.',
    );
  });

  test('says by which condition a step was skipped', async () => {
    const letters = aStep('letters', { state: 'skipped' });
    const { millrace } = await pipelinesFixture({
      sights: [{ ...succeeded, steps: [customersDone, letters] }],
    });
    expect((await millrace(RUN)).stderr).toContain(
      'pipe-7 letters skipped: only when customers.rows above 0',
    );
  });

  test('lists runs', async () => {
    const { millrace, pipelines } = await pipelinesFixture({ run: aRun(failed) });
    expect((await millrace('pipeline list', { terminal: 160 })).lines).toEqual([
      'RUN     PIPELINE    STATE   STEPS  TOOK  MADE  BY               PARAMETERS     NOTE',
      'pipe-7  statements  FAILED    1/3  42 s  now   ada@example.com  month=2026-01  letters: 1 of 204 documents could not be made.',
    ]);
    expect((await millrace('pipeline list -q --state failed --pipeline x')).stdout).toBe(
      'pipe-7\n',
    );
    expect(pipelines.queries).toMatchObject([{}, { state: 'FAILED', pipeline: 'x' }]);
  });

  test('resumes one and follows it, by its file if asked', async () => {
    const { millrace, pipelines } = await pipelinesFixture({
      run: aRun(failed),
      sights: [succeeded],
    });
    const ran = await millrace('pipeline resume pipe-7 --with-file');
    expect(ran).toMatchObject({ code: 0, stdout: 'pipe-7 succeeded: 3 steps, 1 skipped, 42 s.\n' });
    expect(pipelines.bodies).toEqual([{ withFile: true }]);
    expect((await millrace('pipeline resume pipe-7 --no-wait')).stdout).toBe('pipe-7\n');
    expect(pipelines.bodies).toEqual([{ withFile: true }, { withFile: false }]);
  });

  test('cancels one', async () => {
    const { millrace, pipelines } = await pipelinesFixture();
    const ran = await millrace('pipeline cancel pipe-7');
    expect(ran.stdout).toContain('pipe-7 is cancelled.');
    expect(pipelines.canceled).toEqual(['pipe-7']);
  });

  test.each([
    ['pipeline', 2, 'Missing argument'],
    ['pipeline stop pipe-7', 2, 'not "stop"'],
    ['pipeline list --month 2026-01', 2, '"millrace pipeline list" does not take --month'],
    ['pipeline show pipe-7 --key k', 2, 'does not take --key'],
    ['pipeline list --limit 5 --all', 2, 'Give either --limit or --all.'],
    ['pipeline list --state ready', 2, 'does not know "ready"'],
    ['pipeline show pipe-8', 3, 'There is no run "pipe-8"'],
    ['pipeline run dunning', 3, 'There is no pipeline "dunning"'],
  ])('refuses %s', async (line, code, words) => {
    const { millrace } = await pipelinesFixture();
    const ran = await millrace(line);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(words);
  });

  test('completes pipelines, their parameters, the values of these, and runs', async () => {
    const { millrace } = await pipelinesFixture({
      pipelines: [aPipeline(), aPipeline({ name: 'other' })],
    });
    const complete = async (line: string) => (await millrace(`completion words -- ${line}`)).lines;
    expect(await complete('pipeline run s')).toEqual(['statements']);
    expect(await complete('pipelines show o')).toEqual(['other']);
    expect(await complete('pipeline run statements --mon')).toEqual(['--month']);
    expect(await complete('pipeline run statements --mode d')).toEqual(['draft']);
    expect(await complete('pipeline show p')).toEqual(['pipe-7']);
    expect(await complete('pipeline list --state F')).toEqual(['FAILED']);
  });
});
