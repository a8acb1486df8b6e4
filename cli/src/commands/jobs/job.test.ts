import { describe, expect, test } from 'vitest';
import { aJob, at, failed, running, succeeded } from '../../../test/jobs.ts';
import { documents, fixture } from '../../../test/run.ts';

describe('millrace job delete', () => {
  test('asks first', async () => {
    const { millrace, service } = await fixture([failed()]);
    const person = { terminal: 80, keyboard: true };
    const no = await millrace('job delete pg-1', { ...person, stdin: 'n\n' });
    expect(no.stderr).toBe(
      'Delete the FAILED job pg-1 of the kind hello, with its data and result? This cannot be undone. [y/N] Nothing was deleted.\n',
    );
    expect(await millrace('job delete pg-1')).toMatchObject({ code: 2 });
    expect(service.jobs).toHaveLength(1);
    expect(await millrace('job delete pg-1 --yes')).toMatchObject({
      code: 0,
      stdout: 'pg-1  deleted\n',
    });
    expect(service.jobs).toEqual([]);
    expect(await millrace('job delete pg-1 -y')).toMatchObject({ code: 3 });
    expect(await millrace('job pg-1 --yes')).toMatchObject({ code: 2 });
    expect(await millrace('job delete')).toMatchObject({ code: 2 });
    expect(await millrace('job pg-1 pg-2')).toMatchObject({ code: 2 });
  });
});

describe('millrace job', () => {
  test('shows everything there is', async () => {
    const { millrace } = await fixture([
      running({
        kind: 'report.monthly',
        tenant: 'acme',
        priority: 5,
        cancelRequested: true,
        progress: { done: 730, total: 100_000 },
        key: 'june',
        correlationId: 'c-1',
        submitter: 'ada@example.com',
        subject: 'customer-7',
        webhook: 'https://example.com/hook',
        parents: { extract: 'pg-0' },
        schedule: 'nightly',
        cursor: { row: 730 },
      }),
    ]);
    const { code, lines, stderr } = await millrace('job pg-1', { terminal: 80 });
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(lines).toEqual([
      'pg-1  report.monthly  PROCESSING',
      '',
      '  why          The kind "hello" is paused.',
      '  progress     0.7 %, 730 of 100,000',
      '  attempt      1 of 4',
      '  priority     5',
      '  cancel       asked for',
      '  worker       host-1',
      '  created      2026-01-31T11:55:00.000Z  (5 min ago)',
      '  started      2026-01-31T11:58:00.000Z  (2 min ago)',
      '  lease until  2026-01-31T12:01:00.000Z  (in 1 min)',
      '  tenant       acme',
      '  key          june',
      '  correlation  c-1',
      '  submitter    ada@example.com',
      '  subject      customer-7',
      '  webhook      https://example.com/hook',
      '  parents      pg-0 (extract)',
      '  schedule     nightly',
      '',
      '  data',
      '    {',
      '      "name": "Ada"',
      '    }',
      '',
      '  cursor',
      '    {',
      '      "row": 730',
      '    }',
    ]);
  });

  test('wraps a long error, and says how to go on', async () => {
    const message = 'The converter has not answered for a minute.\nIt was ended.';
    const error = { code: 'conversion_timeout', message, retryable: true };
    const { millrace } = await fixture([failed({ error, data: null })]);
    const { code, lines, stderr } = await millrace('job pg-1', { terminal: 50 });
    expect(code).toBe(1);
    expect(lines).toEqual([
      'pg-1  hello  FAILED',
      '',
      '  error     conversion_timeout: The converter has',
      '            not answered for a minute.',
      '            It was ended.',
      '            (can be retried)',
      '  attempt   4 of 4',
      '  created   2026-01-31T11:55:00.000Z  (5 min ago)',
      '  started   2026-01-31T11:59:00.000Z  (1 min ago)',
      '  finished  2026-01-31T11:59:30.000Z  (30 s ago,',
      '            after 30 s)',
    ]);
    expect(stderr).toBe('\n"millrace retry pg-1" runs it again.\n');
  });

  test('shows what it went through, with places and causes', async () => {
    const unknown = {
      code: 'unknown',
      message: 'The report could\nnot be written.',
      retryable: true,
    };
    const frames = Array.from({ length: 9 }, (_, index) => `    at f${index} (jobs/report.ts:1:1)`);
    const stack = [
      'Error: The report could',
      'not be written.',
      '    at write (jobs/report.ts:42:11)',
      'Caused by: Error: read ECONNRESET',
      ...frames,
      'Caused by (1 of 2): TypeError: no',
      'Caused by (2 of 2): Error: not here',
      'Caused by: the line was cut\u001B[2J',
    ].join('\n');
    const lost = { code: 'worker_lost', message: 'It stopped renewing.', retryable: false };
    const { millrace } = await fixture([
      succeeded({
        data: null,
        result: null,
        attempt: 2,
        executions: [
          {
            attempt: 1,
            epoch: null,
            log: null,
            worker: 'host-1',
            startedAt: at(-240_000),
            endedAt: at(-238_800),
            outcome: 'retried',
            error: unknown,
            stack,
          },
          {
            attempt: 1,
            epoch: null,
            log: null,
            worker: 'host-2',
            startedAt: at(-200_000),
            endedAt: at(-80_000),
            outcome: 'lost',
            error: lost,
            stack: null,
          },
          {
            attempt: 2,
            epoch: null,
            log: null,
            worker: 'host-10',
            startedAt: at(-20_000),
            endedAt: at(-19_950),
            outcome: 'succeeded',
            error: null,
            stack: null,
          },
        ],
      }),
    ]);
    const { lines } = await millrace('job pg-1', { terminal: 100 });
    expect(lines.slice(lines.indexOf('  executions, each with its attempt'))).toEqual([
      '  executions, each with its attempt',
      '    1  2026-01-31T11:56:00.000Z  1.2 s  retried    host-1',
      '       The report could',
      '       not be written.',
      '         at write (jobs/report.ts:42:11)',
      '         Caused by: Error: read ECONNRESET',
      ...[0, 1, 2, 3, 4, 5].map((n) => `           at f${n} (jobs/report.ts:1:1)`),
      '           … 3 more, with --json',
      '           Caused by (1 of 2): TypeError: no',
      '           Caused by (2 of 2): Error: not here',
      '             Caused by: the line was cut [2J',
      '    1  2026-01-31T11:56:40.000Z  2 min  lost       host-2',
      '       worker_lost: It stopped renewing.',
      '    2  2026-01-31T11:59:40.000Z  50 ms  succeeded  host-10',
    ]);
  });

  test('shows parents and children, ten of them', async () => {
    const child = (n: number) => ({ id: `pg-${n}`, kind: 'child', state: 'QUEUED' }) as const;
    const children = Array.from({ length: 12 }, (_, index) => child(index + 2));
    const { millrace } = await fixture([aJob({ parents: { report: 'pg-0' }, children })]);
    const { stdout } = await millrace('job pg-1', { terminal: 1_000 });
    expect(stdout).toMatch(/parents +pg-0 \(report\)\n/);
    expect(stdout).toMatch(
      /children +pg-2 \(child\) QUEUED, .*, pg-11 \(child\) QUEUED, … 2 more, with --json\n/,
    );
  });

  test.each([
    ['QUEUED', 0],
    ['PROCESSING', 0],
    ['SUCCEEDED', 0],
    ['FAILED', 1],
    ['CANCELED', 1],
  ] as const)('of a job that is %s ends with %i', async (state, expected) => {
    const { millrace } = await fixture([aJob({ state })]);
    expect((await millrace('job pg-1')).code).toBe(expected);
    expect(await millrace('job pg-1 -q')).toMatchObject({ code: expected, stdout: `${state}\n` });
  });

  test('gives the whole job as one JSON document', async () => {
    const job = succeeded();
    const { millrace } = await fixture([job]);
    expect(documents((await millrace('job pg-1 --json')).stdout)).toEqual([job]);
  });

  test('ends with 3 where there is no such job, in one sentence', async () => {
    const { millrace } = await fixture();
    expect(await millrace('job pg-9')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: 'There is no job "pg-9".\n',
    });
    const { stderr } = await millrace('job pg-9 --json');
    expect(documents(stderr)).toMatchObject([{ code: 'job_not_found', status: 404 }]);
  });
});

describe('millrace explain', () => {
  test('says why, and until when', async () => {
    const { millrace } = await fixture([aJob({ runAt: at(1) })]);
    expect((await millrace('explain pg-1', { terminal: 80 })).lines).toEqual([
      'pg-1  QUEUED  kind_paused',
      '',
      '  The kind "hello" is paused.',
      '  until  2026-01-31T12:05:00.000Z  (in 5 min)',
    ]);
    expect((await millrace('explain pg-1 -q')).stdout).toBe('kind_paused\n');
    expect(documents((await millrace('explain pg-1 --json')).stdout)).toEqual([
      {
        id: 'pg-1',
        state: 'QUEUED',
        reason: 'kind_paused',
        sentence: 'The kind "hello" is paused.',
        until: at(5 * 60_000),
      },
    ]);
  });

  test('ends with 0 for a failed job too: the question was answered', async () => {
    const { millrace } = await fixture([failed()]);
    expect((await millrace('explain pg-1')).code).toBe(0);
    expect((await millrace('explain pg-2')).code).toBe(3);
  });
});
