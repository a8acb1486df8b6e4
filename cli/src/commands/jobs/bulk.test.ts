import { describe, expect, test } from 'vitest';
import { aJob, failed, running, succeeded } from '../../../test/jobs.ts';
import { documents, fixture } from '../../../test/run.ts';

const jobs = () => [
  failed({ id: 'pg-1' }),
  failed({ id: 'pg-2', kind: 'report' }),
  aJob({ id: 'pg-3' }),
  running({ id: 'pg-4' }),
  succeeded({ id: 'pg-5' }),
  aJob({ id: 'pg-6', state: 'CANCELED' }),
];

const person = { terminal: 100, keyboard: true };

describe('by id', () => {
  test('retry does what it can, and the first refusal gives the exit code', async () => {
    const { millrace } = await fixture(jobs());
    expect(await millrace('retry pg-1 pg-9 pg-5 pg-6')).toMatchObject({
      code: 3,
      stdout: 'pg-1  queued again\npg-6  queued again\n',
      stderr:
        'pg-9: There is no job "pg-9".\npg-5: The job is SUCCEEDED: only failed jobs can be retried.\n',
    });
    expect((await millrace('retry pg-5')).code).toBe(4);
    expect(await millrace('retry pg-1 -q')).toMatchObject({ code: 0, stdout: '' });
  });

  test('cancel tells what has ended from what was asked to stop', async () => {
    const { millrace } = await fixture(jobs());
    expect(await millrace('cancel pg-3 pg-4')).toMatchObject({
      code: 0,
      stdout: 'pg-3  cancelled\npg-4  runs, and was asked to stop\n',
    });
  });

  test('gives JSON Lines, the refusals among them', async () => {
    const { millrace } = await fixture(jobs());
    const { code, stdout } = await millrace('cancel pg-3 pg-5 --json');
    expect(code).toBe(4);
    expect(documents(stdout)).toMatchObject([
      { id: 'pg-3', outcome: 'canceled' },
      { id: 'pg-5', error: { code: 'illegal_transition' } },
    ]);
  });
});

describe('by filter', () => {
  test('asks with figures, and does it after a yes', async () => {
    const { millrace, server } = await fixture(jobs());
    const ran = await millrace('retry --kind hello', { ...person, stdin: 'y\n' });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe('Retry 1 FAILED and 1 CANCELED jobs (kind hello)? [y/N] ');
    expect(ran.stdout).toBe('1 job queued again.\n');
    expect(server.requests.at(-1)).toBe('POST /jobs/retry');
  });

  test('counts by looking where the counts know nothing of the filter', async () => {
    const { millrace } = await fixture(jobs());
    const { stderr } = await millrace('retry --state failed --error upload_failed --since 1d', {
      ...person,
      stdin: 'yes\n',
    });
    expect(stderr).toBe(
      'Retry 2 FAILED jobs (error upload_failed, made since 2026-01-30T12:00:00.000Z)? [y/N] ',
    );
    const many = Array.from({ length: 1_500 }, (_, index) => failed({ id: `x-${index}` }));
    const large = await fixture(many);
    const asked = await large.millrace('cancel --error upload_failed', { ...person, stdin: 'n\n' });
    expect(asked.stderr).toContain('Cancel over 1,000 FAILED jobs (error upload_failed)?');
  });

  test.each(['n\n', '\n', 'yess\n', ''])('takes %j as a no', async (stdin) => {
    const { millrace, server } = await fixture(jobs());
    const { code, stdout, stderr } = await millrace('cancel --all', { ...person, stdin });
    expect(code).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Cancel 1 QUEUED, 1 PROCESSING, and 2 FAILED jobs\? \[y\/N\] /);
    expect(stderr).toMatch(/Nothing was changed\.\n$/);
    expect(server.requests).toEqual(['GET /counts']);
  });

  test('does not ask about nothing', async () => {
    const { millrace, server } = await fixture(jobs());
    const { code, stderr } = await millrace('retry --kind helo', person);
    const hint = 'Unknown kind "helo": did you mean hello?';
    expect({ code, stderr }).toEqual({ code: 0, stderr: `No matching jobs.\n${hint}\n` });
    expect(server.requests).toEqual(['GET /counts', 'GET /kinds']);
  });

  test.each([{ terminal: 100 }, { keyboard: true }, {}])(
    'is refused without --yes where nobody can answer: %j',
    async (surroundings) => {
      const { millrace, server } = await fixture(jobs());
      const { code, stderr } = await millrace('cancel --all', surroundings);
      expect(code).toBe(2);
      expect(stderr).toMatch(/--yes/);
      expect(server.requests).toEqual([]);
    },
  );

  test('does not ask with --yes', async () => {
    const { millrace, server } = await fixture(jobs());
    expect(await millrace('cancel --all --yes')).toMatchObject({
      code: 0,
      stdout: '3 jobs cancelled, 1 running asked to stop.\n',
      stderr: '',
    });
    expect(documents((await millrace('cancel --kind report -y --json')).stdout)).toEqual([
      { canceled: 1, requested: 0 },
    ]);
    expect(documents((await millrace('retry --state failed -y --json')).stdout)).toEqual([
      { retried: 2 },
    ]);
    expect(server.requests).toEqual(['POST /jobs/cancel', 'POST /jobs/cancel', 'POST /jobs/retry']);
  });

  test.each(['retry', 'cancel', 'retry --yes', 'retry pg-1 --kind hello', 'cancel pg-1 --all'])(
    'refuses "%s", which does not say which jobs',
    async (command) => {
      const { millrace, server } = await fixture(jobs());
      expect((await millrace(command, person)).code).toBe(2);
      expect(server.requests).toEqual([]);
    },
  );
});
