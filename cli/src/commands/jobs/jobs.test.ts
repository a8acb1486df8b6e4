import { protectedFixture } from '../../../test/signed-in.ts';
import { describe, expect, test } from 'vitest';
import { MINUTE, SECOND, aJob, at, failed, running, succeeded } from '../../../test/jobs.ts';
import { documents, fixture } from '../../../test/run.ts';
import { noteOf } from '../../render/job-note.ts';

const five = () => [
  aJob({ id: 'pg-105', kind: 'report.monthly', runAt: at(90 * MINUTE), priority: 10 }),
  running({
    id: 'pg-104',
    kind: 'report.monthly',
    progress: { done: 520, total: 1_000, note: '行を書く' },
  }),
  failed({ id: 'pg-103', createdAt: at(-3 * 24 * 60 * MINUTE) }),
  succeeded({ id: 'pg-9' }),
  aJob({ id: 'pg-8', state: 'CANCELED', finishedAt: at(-SECOND * 10), attempt: 1 }),
];

describe('millrace jobs', () => {
  test('says which jobs are left out, in whatever form it answers', async () => {
    const { millrace, service } = await fixture([]);
    service.handlers.listJobs = () => ({ jobs: [], next: null, missing: ['redis'] });
    const sentence = 'This list is incomplete: redis does not answer.\n';
    expect(await millrace('jobs')).toMatchObject({ code: 0, stderr: sentence });
    expect(await millrace('jobs -q')).toMatchObject({ stdout: '', stderr: sentence });
    const json = await millrace('jobs --json');
    expect(documents(json.stderr)).toEqual([{ missing: ['redis'] }]);
  });

  test('shows a table that fits the terminal', async () => {
    const { millrace } = await fixture(five());
    const { code, lines } = await millrace('jobs', { terminal: 110 });
    expect(code).toBe(0);
    expect(lines).toEqual([
      'ID      KIND            STATE       ATTEMPT  PRIO    AGE  WHEN       NOTE',
      'pg-105  report.monthly  QUEUED          0/4    10  5 min  in 1 h',
      'pg-104  report.monthly  PROCESSING      1/4     -  5 min  for 2 min  52 %, 520 of 1,000, 行を書く',
      'pg-103  hello           FAILED          4/4     -    3 d  30 s ago   upload_failed: The file store said no.',
      'pg-9    hello           SUCCEEDED       1/4     -  5 min  2 min ago',
      'pg-8    hello           CANCELED        1/4     -  5 min  10 s ago',
    ]);
  });

  test('cuts the note first, at the last whole character that fits', async () => {
    const { millrace } = await fixture(five());
    const { lines } = await millrace('jobs', { terminal: 93 });
    expect(lines[2]).toBe(
      'pg-104  report.monthly  PROCESSING      1/4     -  5 min  for 2 min  52 %, 520 of 1,000, 行…',
    );
    expect(lines[3]).toBe(
      'pg-103  hello           FAILED          4/4     -    3 d  30 s ago   upload_failed: The file…',
    );
  });

  test('leaves columns out where it is narrow', async () => {
    const { millrace } = await fixture(five());
    const { lines } = await millrace('jobs', { terminal: 40 });
    expect(lines).toEqual([
      'ID      KIND       STATE       WHEN',
      'pg-105  report.m…  QUEUED      in 1 h',
      'pg-104  report.m…  PROCESSING  for 2 min',
      'pg-103  hello      FAILED      30 s ago',
      'pg-9    hello      SUCCEEDED   2 min ago',
      'pg-8    hello      CANCELED    10 s ago',
    ]);
  });

  test('cuts nothing in a pipe, and has a column for tenants where there are some', async () => {
    const message = 'x'.repeat(200);
    const error = { code: 'unknown', message, retryable: true };
    const { millrace } = await fixture([failed({ tenant: 'acme', error }), aJob({ id: 'pg-2' })]);
    const { lines } = await millrace('jobs');
    expect(lines).toEqual([
      'ID    KIND   TENANT  STATE   ATTEMPT  PRIO    AGE  WHEN      NOTE',
      `pg-1  hello  acme    FAILED      4/4     -  5 min  30 s ago  ${message}`,
      'pg-2  hello          QUEUED      0/4     -  5 min  due',
    ]);
  });

  test.each([
    [aJob({ progress: { done: 3, note: 'polled' } }), '3 done, polled'],
    [aJob({ progress: { done: 3 }, error: { code: 'e', message: 'm', retryable: true } }), 'e: m'],
    [running({ progress: null }), ''],
    [running({ cancelRequested: true }), 'asked to stop'],
    [
      running({ cancelRequested: true, progress: { done: 0, total: 0 } }),
      'asked to stop, 100 %, 0 of 0',
    ],
    [succeeded({ progress: { done: 3 }, error: { code: 'e', message: 'm', retryable: true } }), ''],
  ])('has the one note that matters: %#', (job, note) => expect(noteOf(job)).toBe(note));

  test('colours states in a terminal only, and not against NO_COLOR', async () => {
    const { millrace } = await fixture([failed()]);
    const env = { NO_COLOR: '' };
    expect((await millrace('jobs', { terminal: 90, env })).stdout).toContain(
      '\u001B[31mFAILED\u001B[39m',
    );
    expect((await millrace('jobs', { env })).stdout).not.toContain('\u001B');
    expect((await millrace('jobs', { terminal: 90 })).stdout).not.toContain('\u001B');
  });

  test('shows nobody an escape sequence that a job has written', async () => {
    const error = { code: 'unknown', message: 'a\u001B[2Jb\nc\u202Ed\u009B1m', retryable: true };
    const { millrace } = await fixture([failed({ error })]);
    for (const command of ['jobs', 'job pg-1', 'watch pg-1']) {
      const { stdout } = await millrace(command);
      expect(stdout).toContain('b');
      expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Control}|\p{Bidi_Control}/u);
    }
  });

  test('gives every filter to the server', async () => {
    const { millrace, server } = await fixture();
    await millrace(
      'jobs --state failed --kind k --tenant t --key a/b --error e --correlation c --since 1h --until 2026-01-31T11:30:00Z --limit 7',
    );
    const query = new URL(server.requests[0]?.split(' ')[1] ?? '', server.url).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      state: 'FAILED',
      kind: 'k',
      tenant: 't',
      key: 'a/b',
      errorCode: 'e',
      correlationId: 'c',
      createdAfter: at(-60 * MINUTE),
      createdBefore: '2026-01-31T11:30:00Z',
      limit: '7',
    });
  });

  test('has a limit, says so, and pages where it has to', async () => {
    const jobs = Array.from({ length: 450 }, (_, index) => aJob({ id: `pg-${index}` }));
    const { millrace, server } = await fixture(jobs);
    const some = await millrace('jobs', { terminal: 100 });
    expect(some.lines).toHaveLength(1 + 20);
    expect(some.stderr).toBe('The newest 20. There are more: --limit N or --all shows them.\n');

    server.requests.length = 0;
    const most = await millrace('jobs --limit 300 -q');
    expect(most.lines).toHaveLength(300);
    expect(server.requests).toEqual(['GET /jobs?limit=200', 'GET /jobs?limit=100&cursor=200']);

    const all = await millrace('jobs --all');
    expect(all.lines).toHaveLength(1 + 450);
    expect(all.stderr).toBe('');
  });

  test('gives JSON Lines of what the API has said, or ids', async () => {
    const jobs = five();
    const { millrace } = await fixture(jobs);
    const { stdout } = await millrace('jobs --json', { terminal: 40 });
    expect(documents(stdout)).toEqual(
      jobs.map(
        ({ data: _d, result: _r, cursor: _c, executions: _e, children: _f, log: _l, ...rest }) =>
          rest,
      ),
    );
    expect((await millrace('jobs --quiet --state failed')).stdout).toBe('pg-103\n');
  });

  test('says that there are none, to people', async () => {
    const { millrace } = await fixture();
    expect(await millrace('jobs')).toMatchObject({ code: 0, stdout: '', stderr: 'No jobs.\n' });
    expect(await millrace('jobs --json')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test.each([
    'jobs --limit 0',
    'jobs --limit x',
    'jobs --all --limit 5',
    'jobs --since yesterday',
    'jobs x',
  ])('refuses "%s"', async (command) => {
    const { millrace } = await fixture();
    const { code, stderr, stdout } = await millrace(command);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^[^\n]+\n$/);
  });

  test('of a kind that there is not names the nearest', async () => {
    const { millrace } = await fixture();
    expect((await millrace('jobs --kind helo')).stderr).toBe(
      'No jobs.\nUnknown kind "helo": did you mean hello?\n',
    );
    expect((await millrace('jobs --kind hello')).stderr).toBe('No jobs.\n');
  });

  test('says whose the jobs of a sandbox are', async () => {
    const { millrace, service, writeRunning } = await protectedFixture();
    await writeRunning({ simulatedOrg: { kind: 'document.salesforce', page: 'http://sim/_sim/' } });
    expect((await millrace('jobs')).stderr).toBe('');
    service.jobs.push(aJob({ id: 'salesforce-1', kind: 'document.salesforce' }));
    expect((await millrace('jobs')).stderr).toMatch(
      /^Jobs of the kind document\.salesforce are records of this sandbox’s simulated Salesforce org, http:\/\/sim\/_sim\/\./,
    );
    expect((await millrace('jobs -q')).stderr).toBe('');
  });
});
