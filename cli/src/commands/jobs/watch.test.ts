import { describe, expect, test } from 'vitest';
import {
  MINUTE,
  SECOND,
  aJob,
  aReplica,
  at,
  failed,
  running,
  succeeded,
} from '../../../test/jobs.ts';
import { documents, fixture } from '../../../test/run.ts';
import { cursorIsShown, screenOf } from '../../../test/terminal.ts';

/** What the jobs are after each wait; the last stays. */
function steps<T>(...states: T[]): (times: number) => T | undefined {
  return (times) => states[Math.min(times, states.length) - 1];
}

describe('millrace watch ID', () => {
  const half = { done: 500, total: 1_000, note: 'rows' };

  test('draws a bar in place, and leaves how it ended', async () => {
    const { millrace, service } = await fixture([aJob()]);
    const frames = [
      running({ startedAt: at(0), progress: { done: 0, total: 1_000 } }),
      running({ startedAt: at(0), progress: half }),
      succeeded(),
    ];
    const ran = await millrace('watch pg-1', {
      terminal: 80,
      onWait: (times) => {
        service.jobs = [frames[times - 1] ?? succeeded()];
      },
    });
    expect(ran.code).toBe(0);
    const drawn = ran.stdout.split('\r').map((frame) => screenOf(frame)[0]);
    expect(drawn).toEqual([
      undefined,
      'pg-1  hello  QUEUED      waits for a worker',
      'pg-1  hello  PROCESSING  ──────────────────   0 %  0 of 1,000  for 0.2 s',
      'pg-1  hello  PROCESSING  ━━━━━━━━━─────────  50 %  500 of 1,000  for 0.4 s  rows',
      'pg-1  hello  SUCCEEDED   in 1.5 s  {"greeting":"Hello Ada"}',
      'pg-1  hello  SUCCEEDED   in 1.5 s  {"greeting":"Hello Ada"}',
    ]);
    expect(screenOf(ran.stdout)).toEqual([drawn.at(-1)]);
    expect(cursorIsShown(ran.stdout)).toBe(true);
  });

  test('estimates the end by what was seen', async () => {
    const { millrace, service } = await fixture([running({ progress: half })]);
    const done = steps(501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 600);
    const ran = await millrace('watch pg-1', {
      terminal: 90,
      onWait: (times) => {
        const progress = { done: done(times) ?? 0, total: 1_000 };
        service.jobs = [times > 11 ? succeeded() : running({ progress })];
      },
    });
    // 100 of 1,000 in 2.2 s, and 400 are left.
    expect(ran.stdout).toContain('600 of 1,000  8.8 s left');
  });

  test('ends with 1 when one failed, and shows the failure in full', async () => {
    const message = `It broke: ${'because '.repeat(20)}of that.`;
    const error = { code: 'unknown', message, retryable: false };
    const { millrace } = await fixture([
      failed({ id: 'pg-1', error }),
      succeeded({ id: 'pg-20', kind: 'report', result: null }),
    ]);
    const ran = await millrace('watch pg-1 pg-20 pg-1', { terminal: 60 });
    expect(ran.code).toBe(1);
    expect(screenOf(ran.stdout)).toEqual([
      `pg-1   hello   FAILED      ${message}`,
      'pg-20  report  SUCCEEDED   in 1.5 s',
    ]);
  });

  test.each([
    ['SUCCEEDED', 0],
    ['FAILED', 1],
    ['CANCELED', 1],
  ] as const)('ends with the job: %s is %i, also without a word', async (state, expected) => {
    const { millrace } = await fixture([aJob({ state })]);
    expect((await millrace('watch pg-1')).code).toBe(expected);
    expect(await millrace('watch pg-1 -q')).toMatchObject({
      code: expected,
      stdout: '',
      stderr: '',
    });
  });

  test('writes a line for each change into a pipe', async () => {
    const { millrace, service } = await fixture([aJob({ runAt: at(SECOND) })]);
    const next = steps(
      aJob({ runAt: at(SECOND) }),
      running({ startedAt: at(SECOND) }),
      running({ startedAt: at(SECOND), leaseUntil: at(3 * MINUTE) }),
      running({ startedAt: at(SECOND), progress: { done: 3 } }),
      aJob({ attempt: 1, runAt: at(MINUTE), error: { code: 'e', message: 'm', retryable: true } }),
      succeeded({ result: null }),
    );
    const { lines } = await millrace('watch pg-1', {
      onWait: (times) => {
        service.jobs = [next(times) ?? aJob()];
      },
    });
    expect(lines).toEqual([
      'pg-1  hello  QUEUED      runs in 1 s',
      'pg-1  hello  PROCESSING  for 0.0 s',
      'pg-1  hello  PROCESSING  3 done, for 0.0 s',
      'pg-1  hello  QUEUED      runs in 58 s, after e: m',
      'pg-1  hello  SUCCEEDED   in 1.5 s',
    ]);
  });

  test('gives the job as JSON at each change', async () => {
    const { millrace, service } = await fixture([aJob()]);
    const { stdout } = await millrace('watch pg-1 --json', {
      terminal: 80,
      onWait: (times) => {
        if (times === 5) service.jobs = [succeeded()];
      },
    });
    expect(documents(stdout)).toEqual([aJob(), succeeded()]);
  });

  test('looks often while something moves and rarely while nothing does', async () => {
    const { millrace, service } = await fixture([aJob({ runAt: at(3_600_000) })]);
    const waiting = await millrace('watch pg-1', {
      onWait: (times) => {
        if (times === 12) service.jobs = [succeeded()];
      },
    });
    expect(waiting.waits.map(Math.round)).toEqual([
      200, 300, 450, 675, 1_013, 1_519, 2_278, 3_417, 5_000, 5_000, 5_000, 5_000,
    ]);
    service.jobs = [running()];
    const moving = await millrace('watch pg-1', {
      onWait: (times) => {
        const progress = { done: times };
        service.jobs = [times === 9 ? succeeded() : running(times < 4 ? { progress } : {})];
      },
    });
    expect(moving.waits.map(Math.round)).toEqual([200, 200, 200, 200, 200, 300, 450, 675, 1_000]);
  });

  test('asks only for what has not ended', async () => {
    const { millrace, service, server } = await fixture([succeeded(), aJob({ id: 'pg-2' })]);
    await millrace('watch pg-1 pg-2', {
      onWait: () => {
        service.jobs = [succeeded({ id: 'pg-2' })];
      },
    });
    const asked = server.requests.filter((request) => !request.includes('/events'));
    expect(asked).toEqual(['GET /jobs/pg-1', 'GET /jobs/pg-2', 'GET /jobs/pg-2']);
  });

  test('shows those that run when there are more jobs than rows', async () => {
    const jobs = Array.from({ length: 12 }, (_, index) => succeeded({ id: `pg-${index + 10}` }));
    const { millrace, service } = await fixture([...jobs, running({ id: 'pg-99' })]);
    const ids = service.jobs.map(({ id }) => id);
    const ran = await millrace(`watch ${ids.join(' ')}`, {
      terminal: 70,
      rows: 8,
      onWait: (times, interrupt) => {
        if (times === 2) interrupt();
      },
    });
    const screen = screenOf(ran.stdout.split('\r')[1] ?? '');
    expect(screen).toHaveLength(6);
    expect(screen[0]).toMatch(/^pg-99 {2}hello {2}PROCESSING/);
    expect(screen[5]).toBe('and 8 more jobs');
    expect(screenOf(ran.stdout)).toHaveLength(13);
  });

  test('waits for a server that restarts, but not for ever', async () => {
    const { millrace, service } = await fixture([aJob()]);
    const { handlers } = service;
    const { getJob } = handlers;
    const ran = await millrace('watch pg-1', {
      onWait: (times) => {
        if (times === 2)
          handlers.getJob = () => {
            throw new Error('restarting');
          };
        if (times === 6 && getJob) handlers.getJob = getJob;
        if (times === 7) service.jobs = [succeeded({ result: null })];
      },
    });
    expect(ran.code).toBe(0);
    expect(ran.lines.at(-1)).toBe('pg-1  hello  SUCCEEDED   in 1.5 s');
    expect(ran.stderr).toBe('The server does not answer; retrying.\n');

    service.jobs = [aJob()];
    const gone = await millrace('watch pg-1', {
      onWait: () => {
        handlers.getJob = () => {
          throw new Error('gone');
        };
      },
    });
    expect(gone.code).toBe(5);
    expect(gone.waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(60_000);
  });

  test('ends with 3 for an unknown job', async () => {
    const { millrace } = await fixture([aJob()]);
    expect(await millrace('watch pg-1 pg-2')).toMatchObject({ code: 3, stdout: '' });
  });

  test('ends with 130 at Ctrl-C, with the cursor back', async () => {
    const { millrace } = await fixture([running()]);
    const ran = await millrace('watch pg-1', {
      terminal: 80,
      onWait: (_, interrupt) => interrupt(),
    });
    expect(ran.code).toBe(130);
    expect(ran.stderr).toBe('');
    expect(cursorIsShown(ran.stdout)).toBe(true);
    expect(screenOf(ran.stdout)).toEqual(['pg-1  hello  PROCESSING  for 2 min']);
  });
});

describe('millrace watch', () => {
  test('redraws the whole service until Ctrl-C', async () => {
    const { millrace, service, server } = await fixture([aJob(), running({ id: 'pg-2' })]);
    const ran = await millrace('watch', {
      terminal: 80,
      onWait: (times, interrupt) => {
        service.jobs = [succeeded(), succeeded({ id: 'pg-2' })];
        service.replicas = [aReplica({ inFlight: 0 })];
        if (times === 2) interrupt();
      },
    });
    expect(ran.code).toBe(130);
    expect(screenOf(ran.stdout)).toEqual([
      `${server.url}  0 jobs due, 0 running, 2 ended per second`,
      '',
      'KIND   DUE  SCHEDULED  PROCESSING  SUCCEEDED  FAILED  CANCELED',
      'hello    0          0           0          2       0         0',
      '',
      'WORKER  STATE    IN FLIGHT  PROCESSED  FAILED  RETRIES   UP  POLLED   SEEN',
      'host-1  running          0      1,204       4        7  1 h  5 s ago  3 s ago',
    ]);
    expect(ran.stdout).toContain('12:00:01 UTC, Ctrl-C ends');
    expect(cursorIsShown(ran.stdout)).toBe(true);
  });

  test('looks less often while nothing moves, and survives a restart', async () => {
    const { millrace, service } = await fixture([aJob()]);
    const { handlers } = service;
    const { counts } = handlers;
    const ran = await millrace('watch', {
      terminal: 80,
      onWait: (times, interrupt) => {
        if (times === 3)
          handlers.counts = () => {
            throw new Error('restarting');
          };
        if (times === 5 && counts) handlers.counts = counts;
        if (times === 6) interrupt();
      },
    });
    expect(ran.waits).toEqual([1_000, 3_000, 3_000, 3_000, 3_000, 3_000]);
    expect(ran.stdout).toContain('The server does not answer; retrying.');
    expect(screenOf(ran.stdout).join('\n')).not.toContain('does not answer');
  });

  test('gives a JSON document per look', async () => {
    const { millrace } = await fixture([aJob()]);
    const { stdout } = await millrace('watch --json', {
      onWait: (times, interrupt) => {
        if (times === 2) interrupt();
      },
    });
    expect(documents(stdout)).toMatchObject([
      { at: at(0), states: { QUEUED: 1 } },
      { at: at(1_000), states: { QUEUED: 1 } },
    ]);
  });

  test('writes a block into a pipe whenever the counts have changed', async () => {
    const { millrace, service } = await fixture([aJob()]);
    const { lines } = await millrace('watch', {
      onWait: (times, interrupt) => {
        if (times === 3) service.jobs = [succeeded()];
        if (times === 5) interrupt();
      },
    });
    expect(lines.filter((line) => line.startsWith('2026'))).toEqual([at(0), at(7_000)]);
  });

  test('fails at once where there is no server', async () => {
    const { millrace, server } = await fixture();
    await server.stop();
    expect((await millrace('watch', { terminal: 80 })).code).toBe(5);
  });
});
