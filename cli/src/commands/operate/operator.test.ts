import { describe, expect, test } from 'vitest';
import { MINUTE, aJob, at } from '../../../test/jobs.ts';
import { documents, fixture } from '../../../test/run.ts';
import type { Schedule } from '../../../test/service.ts';

describe('millrace worker', () => {
  test('shows whether the replica works', async () => {
    const { millrace, service } = await fixture([aJob()]);
    expect((await millrace('worker status')).stdout).toBe(
      'This replica takes jobs; last looked now. 1 job due.\n',
    );
    service.takesJobs = false;
    expect((await millrace('worker status')).stdout).toMatch(/^This replica takes no jobs;/);
    expect((await millrace('worker status -q')).stdout).toBe('stopped\n');
    expect(documents((await millrace('worker status --json')).stdout)).toMatchObject([
      { isRunning: false, currentQueueDepth: 1 },
    ]);
  });

  test('says of a replica without one that it has none, not that it has stopped', async () => {
    const { millrace, service } = await fixture();
    Object.assign(service, { hasWorker: false, takesJobs: false });
    expect((await millrace('worker status')).stdout).toBe(
      'This replica serves only the API. 0 jobs due.\n',
    );
    expect((await millrace('worker status -q')).stdout).toBe('none\n');
    expect(await millrace('worker stop')).toMatchObject({
      code: 4,
      stderr: 'This replica has no worker.\n',
    });
    const { stdout } = await millrace('stats');
    expect(stdout).toMatch(/This replica serves only the API, up [^:]+\.\n/);
  });

  test('stops and starts it, and says so if there is nothing to change', async () => {
    const { millrace, service } = await fixture();
    expect(await millrace('worker stop')).toMatchObject({
      code: 0,
      stdout: 'This replica takes no new jobs and finishes its running ones.\n',
    });
    expect(service.takesJobs).toBe(false);
    expect(await millrace('worker stop', { env: { NO_COLOR: '' } })).toMatchObject({
      code: 4,
      stdout: '',
      stderr: 'Nothing to change: this replica is already stopped.\n',
    });
    const refused = await millrace('worker stop --json');
    expect(refused.code).toBe(4);
    expect(documents(refused.stderr)).toMatchObject([{ code: 'conflict' }]);
    expect(documents((await millrace('worker start --json')).stdout)).toMatchObject([
      { isRunning: true },
    ]);
    expect((await millrace('worker start')).stderr).toBe(
      'Nothing to change: this replica is already running.\n',
    );
    expect(await millrace('worker stop -q')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('knows nothing else', async () => {
    const { millrace, server } = await fixture();
    expect(await millrace('worker restart')).toMatchObject({
      code: 2,
      stderr: 'Unknown: worker restart. Use status, stop or start.\n',
    });
    expect((await millrace('worker')).code).toBe(2);
    expect(server.requests).toEqual([]);
  });
});

describe('millrace schedules', () => {
  const two = (): Schedule[] => [
    {
      name: 'nightly',
      cron: '0 1 * * *',
      timeZone: 'Europe/Berlin',
      kind: 'report.monthly',
      lastTick: at(-11 * 60 * MINUTE),
      nextTick: at(13 * 60 * MINUTE),
      words: 'At 01:00, in Europe/Berlin',
      next: [at(13 * 60 * MINUTE), at(37 * 60 * MINUTE)],
      missed: 'last',
      overlap: 'allow',
      lastJob: 'pg-42',
      lastJobAt: at(-12 * 60 * MINUTE),
      declared: true,
      paused: null,
    },
    {
      name: 'gone',
      cron: '0 0 30 2 *',
      timeZone: 'UTC',
      kind: 'hello',
      lastTick: at(-3 * 24 * 60 * MINUTE),
      nextTick: null,
      words: null,
      next: [],
      missed: 'skip',
      overlap: 'skip',
      lastJob: null,
      lastJobAt: null,
      declared: true,
      paused: null,
    },
  ];

  test('lists them by name', async () => {
    const { millrace, service } = await fixture();
    service.schedules = two();
    expect((await millrace('schedules', { terminal: 100 })).lines).toEqual([
      'SCHEDULE  WHEN                        CRON        KIND            LAST      NEXT     LAST JOB',
      'gone      0 0 30 2 *, in UTC          0 0 30 2 *  hello           never     never    -',
      'nightly   At 01:00, in Europe/Berlin  0 1 * * *   report.monthly  12 h ago  in 13 h  pg-42',
    ]);
    expect((await millrace('schedules -q')).stdout).toBe('gone\nnightly\n');
    expect(documents((await millrace('schedules --json')).stdout)).toEqual(two().toReversed());
  });

  test('shows one with its next ticks and what becomes of missed ones', async () => {
    const { millrace, service } = await fixture();
    service.schedules = two();
    const { lines } = await millrace('schedules show nightly', { terminal: 100 });
    expect(lines).toEqual([
      'nightly',
      '  when      At 01:00, in Europe/Berlin',
      '  cron      0 1 * * * in Europe/Berlin',
      '  kind      report.monthly',
      '  next      Sun, 1 Feb 2026, 02:00 CET  in 13 h',
      '            Mon, 2 Feb 2026, 02:00 CET  in 37 h',
      '  missed    the last one runs',
      '  overlap   a tick runs beside the job before',
      '  last      12 h ago',
      '  last job  pg-42',
    ]);
    expect((await millrace('schedules show gone', { terminal: 100 })).lines).toContain(
      '  next     never',
    );
    expect(documents((await millrace('schedules show nightly --json')).stdout)).toEqual([two()[0]]);
    const missing = await millrace('schedules show nightl');
    expect(missing).toMatchObject({ code: 3, stdout: '' });
    expect(missing.stderr).toContain('Did you mean "nightly"?');
  });

  test('marks one that no file declares', async () => {
    const { millrace, service } = await fixture();
    service.schedules = two().map((schedule) => ({ ...schedule, declared: false }));
    const { lines } = await millrace('schedules', { terminal: 120 });
    expect(lines[2]).toMatch(/12 h ago +not declared by any file here +pg-42$/);
  });

  test('runs one now, pauses and resumes it', async () => {
    const { millrace, service, server } = await fixture();
    service.schedules = two();
    expect(await millrace('schedules run nightly')).toMatchObject({ code: 0, stdout: 'pg-7\n' });
    expect((await millrace('schedules pause nightly')).stdout).toBe(
      '"nightly" is paused: its ticks are skipped until "millrace schedules resume nightly".\n',
    );
    expect((await millrace('schedules', { terminal: 100 })).lines[2]).toContain('paused now');
    expect((await millrace('schedules resume nightly')).stdout).toContain('is resumed');
    expect(server.requests).toContain('POST /schedules/nightly/resume');
    expect(await millrace('schedules run nope')).toMatchObject({ code: 3 });
    expect(await millrace('schedules stop nightly')).toMatchObject({ code: 2 });
    expect(await millrace('schedules run')).toMatchObject({ code: 2 });
  });

  test('deletes one', async () => {
    const { millrace, service, server } = await fixture();
    service.schedules = two();
    expect((await millrace('schedules delete nightly')).stdout).toBe(
      '"nightly" is deleted; its jobs stay.\n',
    );
    expect(server.requests).toContain('DELETE /schedules/nightly');
    expect(await millrace('schedules delete nightly')).toMatchObject({ code: 3 });
  });

  test('says where they would come from', async () => {
    const { millrace } = await fixture();
    expect((await millrace('schedules')).stderr).toMatch(/defineSchedule/);
  });
});

describe('millrace erase', () => {
  const jobs = () => [aJob({ subject: 'ada' }), aJob({ id: 'pg-2', subject: 'ada' }), aJob()];

  test('asks first', async () => {
    const { millrace, server } = await fixture(jobs());
    const person = { terminal: 80, keyboard: true };
    const no = await millrace('erase ada', { ...person, stdin: 'n\n' });
    expect(no).toMatchObject({ code: 0, stdout: '' });
    expect(no.stderr).toBe(
      'Erase the documents and the data, result and error text of every job about "ada"? This cannot be undone. [y/N] Nothing was erased.\n',
    );
    expect(server.requests).toEqual([]);
    const yes = await millrace('erase ada', { ...person, stdin: 'yes\n' });
    expect(yes).toMatchObject({ code: 0, stdout: '2 jobs, 3 documents and 1 row erased.\n' });
    expect(server.requests).toEqual(['DELETE /subjects/ada']);
  });

  test('needs --yes where nobody can answer', async () => {
    const { millrace, server } = await fixture(jobs());
    expect((await millrace('erase ada')).code).toBe(2);
    expect(server.requests).toEqual([]);
    expect(documents((await millrace('erase ada --yes --json')).stdout)).toEqual([
      { erased: 2, files: 3, rows: 1 },
    ]);
    expect(await millrace('erase ada -y -q')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    await millrace("erase 'a b/c' -y");
    expect(server.requests.at(-1)).toBe('DELETE /subjects/a%20b%2Fc');
  });
});
