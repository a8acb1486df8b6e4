import { describe, expect, test } from 'vitest';
import { aJob, aKind, aReplica, at, failed, running, succeeded } from '../../../test/jobs.ts';
import { documents, fixture } from '../../../test/run.ts';

describe('millrace stats', () => {
  const jobs = () => [
    aJob({ id: 'pg-1' }),
    aJob({ id: 'pg-2', tenant: 'acme' }),
    aJob({ id: 'pg-later', runAt: at(3_600_000) }),
    running({ id: 'pg-3', kind: 'report' }),
    failed({ id: 'pg-4' }),
    ...Array.from({ length: 1_200 }, (_, index) => succeeded({ id: `pg-${index + 5}` })),
  ];

  test('shows kinds over all tenants, workers and pools', async () => {
    const { millrace, server } = await fixture(jobs());
    const { code, lines } = await millrace('stats', { terminal: 100 });
    expect(code).toBe(0);
    expect(lines).toEqual([
      `${server.url}  2 jobs due, 1 scheduled, 1 running`,
      'This replica takes jobs, up 1 h 2 min: 1,204 jobs processed, 4 failed, 7 retried.',
      '',
      'KIND    DUE  SCHEDULED  PROCESSING  SUCCEEDED  FAILED  CANCELED',
      'hello     2          1           0      1,200       1         0',
      'report    0          0           1          0       0         0',
      'all       2          1           1      1,200       1         0',
      '',
      'WORKER  STATE    IN FLIGHT  PROCESSED  FAILED  RETRIES   UP  POLLED   SEEN',
      'host-1  running          2      1,204       4        7  1 h  4 s ago  2 s ago',
      '',
      'POOL     IN FLIGHT  MIN PRIO  HELD UNTIL  KINDS',
      'default       2/20         -  -           hello, report',
    ]);
  });

  test('leaves out what matters least where it is narrow', async () => {
    const { millrace } = await fixture(jobs());
    const { lines } = await millrace('stats', { terminal: 40 });
    expect(lines.filter((line) => /^[A-Z]+ /.test(line))).toEqual([
      'KIND    DUE  PROCESSING  FAILED',
      'WORKER  STATE    IN FLIGHT  FAILED',
      'POOL     IN FLIGHT  MIN PRIO  KINDS',
    ]);
  });

  test('says that nobody works', async () => {
    const { millrace, service } = await fixture();
    service.replicas = [];
    const { stdout } = await millrace('stats');
    expect(stdout).toContain('No jobs yet.');
    expect(stdout).toContain('No worker has reported in the last hour');
  });

  test('says who is silent since when, and when none is left', async () => {
    const { millrace, service } = await fixture();
    const silent = aReplica({ id: 'host-2', state: 'silent', seenAt: at(-300_000) });
    service.replicas = [aReplica(), silent];
    const { stdout } = await millrace('stats', { terminal: 60 });
    expect(stdout).toMatch(/^host-1 +running /m);
    expect(stdout).toMatch(/^host-2 +silent for 5 min /m);
    expect(stdout).not.toContain('None of them is left');
    service.replicas = [silent, aReplica({ state: 'stopped' })];
    expect((await millrace('stats')).stdout).toContain(
      'None of them is alive: no jobs are running.',
    );
  });

  test('has no headings with --quiet, only what there is', async () => {
    const { millrace } = await fixture(jobs());
    const { stdout } = await millrace('stats -q');
    expect(stdout).toBe(
      'hello QUEUED 3\nhello SUCCEEDED 1200\nhello FAILED 1\nreport PROCESSING 1\n',
    );
  });

  test('gives one JSON document', async () => {
    const { millrace } = await fixture([aJob()]);
    expect(documents((await millrace('stats --json')).stdout)).toMatchObject([
      {
        at: at(0),
        states: { QUEUED: 1, FAILED: 0 },
        counts: [{ kind: 'hello', tenant: '', state: 'QUEUED', count: 1 }],
        worker: { isRunning: true, replicas: [{ id: 'host-1' }] },
      },
    ]);
  });
});

describe('millrace kinds', () => {
  const kinds = () => [
    aKind({ name: 'report', public: false, concurrency: 2, quota: { queued: 5_000, running: 10 } }),
    aKind({ paused: { since: at(-60_000), by: 'ada', reason: null } }),
  ];

  test('lists them by name', async () => {
    const { millrace, service } = await fixture();
    service.kinds = kinds();
    expect((await millrace('kinds', { terminal: 100 })).lines).toEqual([
      'KIND    STATE             PUBLIC  TIMEOUT  AT ONCE  QUOTA                     RETRIES',
      'hello   paused 1 min ago  yes      10 min        -  -                         3 retries, after 1 mi…',
      'report  open              no       10 min        2  10 running, 5,000 queued  3 retries, after 1 mi…',
    ]);
    expect((await millrace('kinds -q')).stdout).toBe('hello\nreport\n');
    expect(documents((await millrace('kinds --json')).stdout)).toEqual(kinds().toReversed());
  });

  test('says where they would come from', async () => {
    const { millrace, service } = await fixture();
    service.kinds = [];
    expect((await millrace('kinds')).stderr).toMatch(/jobs folder/);
  });
});

describe('millrace pause and resume', () => {
  test('say what they did, and are refused the second time', async () => {
    const { millrace } = await fixture();
    expect(await millrace('pause hello')).toMatchObject({
      code: 0,
      stdout: '"hello" is paused until "millrace resume hello".\n',
    });
    expect(await millrace('pause hello')).toMatchObject({
      code: 4,
      stderr: 'The kind "hello" is already paused.\n',
    });
    expect(await millrace('resume hello')).toMatchObject({
      code: 0,
      stdout: '"hello" runs again.\n',
    });
    expect((await millrace('resume hello')).code).toBe(4);
  });

  test('give JSON, and nothing with --quiet', async () => {
    const { millrace } = await fixture();
    const paused = await millrace('pause hello --json');
    expect(documents(paused.stdout)).toEqual([{ kind: 'hello', paused: true }]);
    expect(await millrace('resume hello -q')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect((await millrace('pause nope')).code).toBe(3);
  });
});
