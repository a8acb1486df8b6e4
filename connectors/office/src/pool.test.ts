import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Observed, isGone, observe, temporaryFolder, until } from '../test/world.ts';
import { OfficeError } from './errors.ts';
import type { OnTurn } from './job.ts';
import type { Lane } from './lanes.ts';
import { createPoisonList } from './poison.ts';
import { type Pool, type PoolParams, createPool } from './pool.ts';

// The pool's own behaviour, on processes without LibreOffice: what a document does is its text.

const script = fileURLToPath(new URL('../test/fake-child.mjs', import.meta.url));

function openPool(config: Partial<PoolParams> = {}): {
  pool: Pool;
  seen: Observed;
  folder: string;
} {
  const seen = observe();
  const folder = temporaryFolder();
  const pool = createPool({
    script,
    office: {
      program: '/nowhere',
      library: '/nowhere/kit.so',
      soffice: null,
      version: { major: 7, minor: 4 },
    },
    folder,
    cache: folder,
    reach: { read: [], devices: [] },
    account: null,
    otherFormats: [],
    slots: 1,
    timeoutMs: 20_000,
    startTimeoutMs: 20_000,
    memoryMb: 500,
    recycleAfter: { documents: 1_000, megabytes: 500 },
    poison: createPoisonList({ limit: 10, forgetAfterMs: 60_000, now: () => 0 }),
    log: seen.log,
    onEvent: seen.onEvent,
    ...config,
  });
  onTestFinished(() => pool.close());
  return { pool, seen, folder };
}

function convert(
  pool: Pool,
  text: string,
  options: { lane?: Lane; signal?: AbortSignal; onTurn?: OnTurn } = {},
): Promise<string> {
  return pool
    .submit({
      bytes: Buffer.from(text),
      task: (files) => ({ type: 'pdf', ...files, filter: '', password: null }),
      lane: 'interactive',
      ...options,
    })
    .then(({ bytes }) => Buffer.from(bytes).toString());
}

/** The pids that converted, from what the fake wrote. */
const pidOf = (result: string): number => Number(/by (\d+)/.exec(result)?.[1]);

test('a document is converted, counted, and leaves no file', async () => {
  const { pool, folder } = openPool();
  const result = await convert(pool, 'hello');
  expect(result).toMatch(/^hello by \d+/);
  expect(pool.stats()).toMatchObject({
    activeJobs: 0,
    queuedJobs: 0,
    completedJobs: 1,
    totalConversions: 1,
  });
  await until(() =>
    expect(readdirSync(join(folder, '1'))).toEqual(['fontconfig', 'profile', 'tmp']),
  );
});

test('a document hears when it waits and when it is its turn, once more after its process died', async () => {
  const { pool } = openPool();
  const folder = temporaryFolder();
  const gate = join(folder, 'gate');
  const turns: string[] = [];
  const before = convert(pool, `wait ${gate}`);
  await until(() => expect(pool.stats().activeJobs).toBe(1));
  const onTurn = (turn: string): void => void turns.push(turn);
  const dying = convert(pool, `die-once ${join(folder, 'tried')}`, { onTurn });
  expect(turns).toEqual(['waiting']);
  writeFileSync(gate, '');
  await Promise.all([before, dying]);
  expect(turns).toEqual(['waiting', 'running', 'waiting', 'running']);
});

test('a document whose process dies is tried again, on a fresh process', async () => {
  const { pool, seen } = openPool({ slots: 2 });
  const folder = temporaryFolder();
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const warm = [convert(pool, `wait ${first}`), convert(pool, `wait ${second}`)];
  await until(() => expect(pool.stats().activeJobs).toBe(2)); // each process has its document
  writeFileSync(first, '');
  await warm[0];
  const retried = convert(pool, `die-once ${join(folder, 'tried')}`);
  await until(() => expect(pool.stats().retriedJobs).toBe(1));
  writeFileSync(second, ''); // a process becomes free, but not a fresh one
  expect(await retried).toBe('document 1 of its process');
  await warm[1];
  expect((await seen.event('process_ended')).reason).toBe('crash');
  expect(pool.stats()).toMatchObject({ completedJobs: 3, failedJobs: 0, retriedJobs: 1 });
});

test('a fresh process is started for it when all places are taken', async () => {
  const { pool, seen } = openPool({ recycleAfter: { documents: 2, megabytes: 500 } });
  const gate = join(temporaryFolder(), 'gate');
  const texts = ['a', 'b', `wait-die-once ${gate}`];
  const [first, , dying] = texts.map((text) => convert(pool, text));
  const old = pidOf((await first) ?? '');
  // The third document runs on the first process, which is due; its successor has one document by then.
  await seen.event('process_started', ({ pid }) => pid !== old);
  expect(pidOf(await convert(pool, 'c'))).not.toBe(old);
  writeFileSync(gate, '');
  expect(await dying).toBe('document 1 of its process');
});

test('a document that kills twice is poison, and refused without another try', async () => {
  const { pool, seen } = openPool();
  await expect(convert(pool, 'die')).rejects.toMatchObject({ code: 'poisoned', retryable: false });
  await seen.event('poisoned');
  const deaths = () => seen.events.filter(({ type }) => type === 'process_ended').length;
  expect(await convert(pool, 'fine')).toContain('fine');
  await until(() => expect(deaths()).toBe(2));
  await expect(convert(pool, 'die')).rejects.toMatchObject({ code: 'poisoned' });
  expect(await convert(pool, 'fine')).toContain('fine');
  expect(deaths()).toBe(2);
  expect(pool.stats()).toMatchObject({ failedJobs: 2, completedJobs: 2, retriedJobs: 1 });
});

test('a document that takes too long is killed and not tried again; the next one is converted', async () => {
  const { pool, seen } = openPool({ timeoutMs: 200 });
  await expect(convert(pool, 'hang')).rejects.toMatchObject({
    code: 'conversion_timeout',
    retryable: true,
  });
  const { pid } = await seen.event('process_ended', ({ reason }) => reason === 'timeout');
  expect(isGone(pid)).toBe(true);
  expect(await convert(pool, 'next')).toContain('next');
  expect(pool.stats()).toMatchObject({ timeouts: 1, retriedJobs: 0 });
  // Twice is poison, too: it would cost its timeout again and again.
  const final = { code: 'conversion_timeout', retryable: false };
  await expect(convert(pool, 'hang')).rejects.toMatchObject(final);
  await expect(convert(pool, 'hang')).rejects.toMatchObject(final);
  expect(pool.stats()).toMatchObject({ timeouts: 2 });
});

test('a document at work until the time is over would be again: not retryable, and refused at once', async () => {
  const { pool, seen } = openPool({ timeoutMs: 1_000 });
  const final = { code: 'conversion_timeout', retryable: false };
  const failure = () => convert(pool, 'work').then(String, (error: OfficeError) => error);
  // A busy machine may leave it without a processor, and that is not its fault: then it has a second try.
  const first = await failure();
  const last = first instanceof OfficeError && first.retryable ? await failure() : first;
  expect(last).toMatchObject(final);
  const { timeouts } = pool.stats();
  await expect(convert(pool, 'work')).rejects.toThrow(/would not be the next time/);
  expect(pool.stats()).toMatchObject({ timeouts });
  expect(seen.events.filter(({ type }) => type === 'poisoned')).toHaveLength(1);
  expect(await convert(pool, 'next')).toContain('next');
});

test('a process that takes too much memory is killed, and its document is not tried again', async () => {
  const { pool, seen } = openPool({ memoryMb: 250 });
  await expect(convert(pool, 'eat 400')).rejects.toMatchObject({
    code: 'poisoned',
    retryable: false,
    message: expect.stringContaining('take all the memory it may have'),
  });
  await seen.event('process_ended', ({ reason }) => reason === 'memory');
  expect(pool.stats().retriedJobs).toBe(0);
});

test('one that began in a process which others had filled is tried again in a new one', async () => {
  const { pool } = openPool({ memoryMb: 250, recycleAfter: { documents: 1_000, megabytes: 240 } });
  await convert(pool, 'keep 100');
  expect(await convert(pool, 'keep 130')).toBe('kept');
  expect(pool.stats().retriedJobs).toBe(1);
});

test('a process is replaced after its documents; its successor is ready before it goes', async () => {
  const { pool, seen } = openPool({ recycleAfter: { documents: 2, megabytes: 500 } });
  const first = pidOf(await convert(pool, 'a'));
  expect(pidOf(await convert(pool, 'b'))).toBe(first);
  const ended = await seen.event('process_ended', ({ reason }) => reason === 'recycled');
  expect(ended).toMatchObject({ pid: first, documents: 2 });
  expect(seen.events.map(({ type }) => type).filter((type) => type.startsWith('process'))).toEqual([
    'process_started',
    'process_started',
    'process_ended',
  ]);
  expect(pidOf(await convert(pool, 'c'))).not.toBe(first);
  expect(pool.fleet.totals()).toMatchObject({ recycled: 1, crashed: 0 });
});

test('a process is replaced when it has grown, and when it failed', async () => {
  const grown = openPool({ recycleAfter: { documents: 1_000, megabytes: 1 } });
  await convert(grown.pool, 'a');
  await grown.seen.event('process_ended', ({ reason }) => reason === 'recycled');
  const failing = openPool();
  await expect(convert(failing.pool, 'fail')).rejects.toMatchObject({
    code: 'conversion_failed',
    retryable: false,
    message: expect.stringContaining('No page.') as string,
  });
  await failing.seen.event('process_ended', ({ reason }) => reason === 'recycled');
});

test('interactive work passes waiting batch work', async () => {
  const { pool } = openPool();
  const gate = join(temporaryFolder(), 'gate');
  const order: string[] = [];
  const track = (name: string, lane: Lane) =>
    convert(pool, name, { lane }).then(() => order.push(name));
  const all = [convert(pool, `wait ${gate}`, { lane: 'batch' })];
  await until(() => expect(pool.stats().activeJobs).toBe(1));
  const rest = [track('b1', 'batch'), track('b2', 'batch'), track('i1', 'interactive')];
  expect(pool.stats().queuedJobs).toBe(3);
  writeFileSync(gate, '');
  await Promise.all([...all, ...rest]);
  expect(order).toEqual(['i1', 'b1', 'b2']);
});

test('batch leaves a process to people', async () => {
  const { pool, seen } = openPool({ slots: 2 });
  const gate = join(temporaryFolder(), 'gate');
  await until(() => expect(seen.events).toHaveLength(2)); // both have started
  const batch = [1, 2, 3].map(() => convert(pool, `wait ${gate}`, { lane: 'batch' }));
  expect(pool.stats()).toMatchObject({ activeJobs: 1, queuedJobs: 2 });
  expect(await convert(pool, 'person')).toContain('person');
  expect(pool.stats()).toMatchObject({ activeJobs: 1, queuedJobs: 2 });
  writeFileSync(gate, '');
  await Promise.all(batch);
});

test('a waiting document is canceled at once, a running one gives its process up', async () => {
  const { pool, seen } = openPool();
  const running = new AbortController();
  const waiting = new AbortController();
  const first = convert(pool, 'hang', { signal: running.signal });
  await until(() => expect(pool.stats().activeJobs).toBe(1));
  const second = convert(pool, 'never', { signal: waiting.signal });
  const third = convert(pool, 'third');
  waiting.abort();
  await expect(second).rejects.toMatchObject({ code: 'canceled', retryable: false });
  expect(pool.stats().queuedJobs).toBe(1);
  running.abort();
  await expect(first).rejects.toMatchObject({ code: 'canceled' });
  expect(await third).toContain('third');
  await seen.event('process_ended', ({ reason }) => reason === 'canceled');
  expect(pool.stats()).toMatchObject({ canceledJobs: 2, failedJobs: 0, completedJobs: 1 });
  await expect(convert(pool, 'late', { signal: running.signal })).rejects.toMatchObject({
    code: 'canceled',
  });
});

test('closing ends what runs and what waits, and leaves nothing', async () => {
  const { pool, seen, folder } = openPool({ slots: 2 });
  const jobs = ['hang', 'hang', 'wait /nowhere/file'].map((text) => convert(pool, text));
  const ends = Promise.allSettled(jobs);
  await until(() => expect(pool.stats().activeJobs).toBe(2));
  const pids = pool.fleet.members().map(({ process }) => process.pid);
  await pool.close();
  for (const end of await ends)
    expect(end).toMatchObject({ reason: { code: 'canceled', retryable: true } });
  expect(pids.map(isGone)).toEqual([true, true]);
  expect(seen.events.filter(({ type }) => type === 'process_ended')).toHaveLength(2);
  expect([existsSync(join(folder, '1')), existsSync(join(folder, '2'))]).toEqual([false, false]);
  await expect(convert(pool, 'late')).rejects.toMatchObject({ code: 'canceled', retryable: true });
});

test('without LibreOfficeKit the processes use soffice, which is said once', async () => {
  vi.stubEnv('TZ', 'no-kit');
  onTestFinished(() => void vi.unstubAllEnvs());
  const office = {
    program: '/nowhere',
    library: '/k',
    soffice: '/s',
    version: { major: 7, minor: 4 },
  };
  const { pool, seen } = openPool({ office, slots: 2 });
  await Promise.all([convert(pool, 'a'), convert(pool, 'b'), convert(pool, 'c')]);
  expect(pool.fleet.decision()).toMatchObject({ way: 'soffice', version: '7.4.0.0' });
  const said = seen.lines.filter(({ message }) =>
    message.includes('LibreOfficeKit cannot be loaded'),
  );
  expect(said).toHaveLength(1);
});

test('without LibreOfficeKit and without soffice there is no office', async () => {
  vi.stubEnv('TZ', 'no-kit');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { pool } = openPool();
  await expect(convert(pool, 'a')).rejects.toMatchObject({ code: 'office_missing' });
  await expect(convert(pool, 'b')).rejects.toMatchObject({ code: 'office_missing' });
});

test('when no process starts, those who wait get an error that says so', async () => {
  const { pool, seen } = openPool();
  await convert(pool, 'before');
  vi.stubEnv('TZ', 'dies');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(convert(pool, 'die')).rejects.toMatchObject({
    code: 'conversion_failed',
    retryable: true,
    message: expect.stringContaining('does not start') as string,
  });
  expect(pool.fleet.trouble()).toContain('It died.');
  expect(seen.lines.filter(({ level }) => level === 'warn').length).toBeGreaterThan(2);
});
