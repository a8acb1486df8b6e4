import { once } from 'node:events';
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { useDatabases } from '../test/databases.ts';
import { fail, greet } from '../test/kinds.ts';
import { open } from '../test/open.ts';
import { configOf } from './database.ts';
import {
  type MillraceOptions,
  createMillrace,
  defineJob,
  defineRule,
  defineSchedule,
  done,
} from './index.ts';

const { fresh, bare } = useDatabases();

it('a failure that is tried again is logged with its own name, by default on the console', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => {
    warn.mockRestore();
  });
  const { url } = await fresh();
  const shaky = defineJob({
    kind: 'shaky',
    input: z.null(),
    retry: { backoff: 'steps', delays: ['1h'] },
    run: async () => {
      throw new RangeError('too far');
    },
  });
  const millrace = await createMillrace({ database: url, jobs: [shaky] });
  onTestFinished(() => millrace.stop());
  await millrace.start();
  await millrace.enqueue(shaky, null);
  await vi.waitFor(() => expect(warn).toHaveBeenCalled(), 10_000);
  expect(warn.mock.calls[0]?.[0]).toMatch(
    /^millrace: job failed, will be retried: RangeError: too far; id='pg-\d+' kind='shaky'/,
  );
});

describe('the database', () => {
  it('is that of a pool, which is neither used nor closed', async () => {
    const { pool } = await bare();
    const millrace = await open({ database: pool, jobs: [greet] });
    await millrace.start();
    const { id } = await millrace.enqueue(greet, { name: 'Ada' });
    expect(await millrace.finished(id)).toMatchObject({
      state: 'SUCCEEDED',
      data: { name: 'Ada' },
      result: 'Good morning, Ada.',
    });
    expect(pool.totalCount).toBe(0);
    await millrace.stop();
    const { rows } = await pool.query('SHOW enable_nestloop');
    expect(rows).toEqual([{ enable_nestloop: 'on' }]);
  });

  it('is reached as the pool reaches it, with the password that it hides', async () => {
    const { pool } = await bare();
    const ssl = { rejectUnauthorized: false };
    const given = { host: 'db', password: 'secret', ssl, options: '-c search_path=app' };
    const { Pool } = await import('pg');
    const other = new Pool({ ...given, max: 3, statement_timeout: 5, application_name: 'shop' });
    expect(configOf(other)).toEqual(given);
    expect(configOf(pool)).toEqual({ connectionString: pool.options.connectionString });
  });

  it('is named by a connection string', async () => {
    const { url } = await fresh();
    const millrace = await open({ database: url, jobs: [greet] });
    const { id } = await millrace.enqueue(greet, { name: 'Ada' });
    expect(await millrace.get(id)).toMatchObject({ state: 'QUEUED', data: { name: 'Ada' } });
    expect(await millrace.get('pg-999')).toBeNull();
  });

  it('is set up by somebody else with `migrate: false`', async () => {
    const { url } = await bare();
    const options = { database: url, jobs: [greet], log: false } as const;
    await expect(createMillrace({ ...options, migrate: false })).rejects.toThrow(
      'it lacks 001-queue.sql',
    );
    await (await createMillrace(options)).stop();
    const millrace = await open({ ...options, migrate: false });
    expect(await millrace.counts()).toEqual([]);
  });
});

it('a database that is not there is named, without its password', async () => {
  const { url } = await bare();
  const away = new URL(url);
  away.port = '1';
  away.username = 'somebody';
  away.password = 'sesame';
  const database = away.pathname.slice(1);
  const thrown: unknown = await createMillrace({
    database: away.href,
    jobs: [greet],
    log: false,
  }).catch((error: unknown) => error);
  expect(String(thrown)).toContain(`"${database}" at ${away.hostname}:1`);
  expect(String(thrown)).not.toMatch(/sesame|somebody/);
});

describe('what cannot be is refused in a sentence', () => {
  const kinds = { jobs: [greet] };
  it.each<[string, object, string]>([
    ['a misspelt field', { ...kinds, concurency: 5 }, 'Did you mean "concurrency"?'],
    ['an unset variable', { ...kinds, database: undefined }, 'is an environment variable not set?'],
    ['an empty variable', { ...kinds, database: '' }, 'is an environment variable not set?'],
    ['a number', { ...kinds, database: 5432 }, 'a pool of pg, a connection string'],
    ['a text for a flag', { ...kinds, migrate: 'false' }, 'migrate: this is not possible'],
    ['something else', { ...kinds, database: { host: 'db' } }, 'this is no database'],
    ['no kinds', {}, 'a list of kinds, each made by defineJob'],
    ['kinds that are none', { jobs: [{ kind: 'x', run() {} }] }, 'each made by defineJob'],
    ['two kinds of a name', { jobs: [greet, greet] }, 'Two kinds are called "greet"'],
    ['a service of no kind', { ...kinds, services: { gret: 1 } }, 'services.gret: this is not'],
    ['both', { ...kinds, concurrency: 1, pools: [] }, 'with `pools`, each pool has its own'],
    ['no connection', { ...kinds, connections: 0 }, 'a whole number of at least 1'],
    ['no log', { ...kinds, log: console.log }, 'an object with info, warn and error'],
  ])('%s', async (_, options, sentence) => {
    await expect(createMillrace(options as MillraceOptions)).rejects.toThrow(sentence);
  });

  it('a schedule of a kind that is not there, and nothing stays open', async () => {
    const { url } = await fresh();
    const job = { kind: 'gone', data: {} };
    const schedules = [defineSchedule({ name: 'daily', cron: '0 6 * * *', job })];
    await expect(
      createMillrace({ database: url, jobs: [greet], schedules, log: false }),
    ).rejects.toThrow('There is no kind "gone"');
  });

  it('a misspelt field of a job', async () => {
    const { url } = await fresh();
    const millrace = await open({ database: url, jobs: [greet] });
    const late = { runat: new Date() } as object;
    await expect(millrace.enqueue(greet, { name: 'Ada' }, late)).rejects.toThrow(
      'enqueue, runat: there is no such field. Did you mean "runAt"?',
    );
    await expect(
      millrace.enqueueAll([{ kind: greet, data: { name: 'Ada' }, ...late }]),
    ).rejects.toThrow('enqueueAll, runat: there is no such field.');
    await expect(
      millrace.enqueue('greet' as unknown as typeof greet, { name: 'Ada' }),
    ).rejects.toThrow('The kind comes first, as defineJob has made it');
    expect(await millrace.counts()).toEqual([]);
    await expect(millrace.enqueueAll([], { transacton: {} } as object)).rejects.toThrow(
      'enqueueAll, transacton: there is no such field. Did you mean "transaction"?',
    );
  });

  it('a filter that means other jobs than it says', async () => {
    const { url } = await fresh();
    const millrace = await open({ database: url, jobs: [greet] });
    const { id } = await millrace.enqueue(greet, { name: 'Ada' });
    const kind: unknown = undefined;
    await expect(millrace.cancelWhere({ kin: 'fail' } as object)).rejects.toThrow('"kind"?');
    await expect(millrace.cancelWhere({ kind } as object)).rejects.toThrow('every job would fit');
    await expect(millrace.retryWhere({ kin: 'fail' } as object)).rejects.toThrow('"kind"?');
    await expect(millrace.list({ filter: { state: 'queued' } as object })).rejects.toThrow(
      'QUEUED',
    );
    expect(await millrace.get(id)).toMatchObject({ state: 'QUEUED' });
  });

  it('all that comes after stop', async () => {
    const { url } = await fresh();
    const millrace = await open({ database: url, jobs: [greet] });
    const { id } = await millrace.enqueue(greet, { name: 'Ada' });
    await millrace.stop();
    const stopped = expect.objectContaining({ code: 'illegal_transition' });
    await expect(millrace.enqueue(greet, { name: 'Ada' })).rejects.toThrow(stopped);
    await expect(millrace.finished(id)).rejects.toThrow(stopped);
    await expect(millrace.list()).rejects.toThrow(stopped);
    await expect(millrace.pauseKind(greet)).rejects.toThrow(stopped);
  });
});

describe('jobs', () => {
  it('are typed and checked by what the schema takes', async () => {
    const { url } = await fresh();
    const millrace = await open({ database: url, jobs: [greet, fail] });
    type Given = Parameters<typeof millrace.enqueue<{ name: string; polite?: boolean }>>[1];
    expectTypeOf<z.input<typeof greet.input>>().toEqualTypeOf<{
      name: string;
      polite?: boolean | undefined;
    }>();
    const ada: Given = { name: 'Ada' };
    await millrace.enqueue(greet, ada);
    // @ts-expect-error a number is no name
    await expect(millrace.enqueue(greet, { name: 5 })).rejects.toThrow(
      'The data does not fit the kind "greet": name:',
    );
    // @ts-expect-error there is no such member
    await expect(millrace.enqueue(fail, { name: 'Ada' })).rejects.toThrow('why:');
    await expect(
      millrace.enqueueAll([
        { kind: greet, data: { name: 'Bea' } },
        // @ts-expect-error each is checked by its own kind
        { kind: fail, data: { name: 'Ada' } },
      ]),
    ).rejects.toThrow('why:');
    expect(await millrace.counts()).toMatchObject([{ kind: 'greet', count: 1 }]);
    const other = defineJob({ kind: 'other', input: z.string(), run: async () => done() });
    await expect(millrace.enqueue(other, 'x')).rejects.toThrow(
      'There is no kind "other". Known kinds: greet, fail.',
    );
  });

  it('are made many at once, each with options of its own', async () => {
    const { url } = await fresh();
    const millrace = await open({ database: url, jobs: [greet, fail] });
    const made = await millrace.enqueueAll([
      ...['Ada', 'Bea', 'Ada'].map((name) => ({ kind: greet, data: { name }, key: name })),
      { kind: fail, data: { why: 'because' }, priority: 5 },
    ]);
    expect(made.map(({ created }) => created)).toEqual([true, true, false, true]);
    expect(made[2]?.id).toBe(made[0]?.id);
    const { jobs, next } = await millrace.list({ filter: { kind: 'fail' } });
    expect(jobs).toMatchObject([{ id: made[3]?.id, priority: 5 }]);
    expect(next).toBeNull();
    const page = await millrace.list({ limit: 2 });
    expect((await millrace.list({ cursor: page.next ?? '' })).jobs).toHaveLength(1);
  });

  it('are canceled, retried, explained, paused and removed', async () => {
    const { url } = await fresh();
    const millrace = await open({ database: url, jobs: [greet, fail] });
    const { id } = await millrace.enqueue(greet, { name: 'Ada' });
    expect(await millrace.explain(id)).toMatchObject({ reason: 'no_worker' });
    expect(await millrace.cancel(id)).toEqual({ canceled: [id], requested: [] });
    expect(await millrace.retry([id])).toEqual([id]);
    expect(await millrace.pauseKind(greet, { by: 'Ada', reason: 'lunch' })).toBe(true);
    await millrace.start();
    const failing = await millrace.enqueue(fail, { why: 'because' });
    expect(await millrace.finished(failing.id)).toMatchObject({
      state: 'FAILED',
      error: { code: 'no', message: 'because' },
    });
    expect(await millrace.explain(id)).toMatchObject({ reason: 'kind_paused' });
    expect(await millrace.resumeKind(greet)).toBe(true);
    expect((await millrace.finished(id)).state).toBe('SUCCEEDED');
    expect(await millrace.remove(id)).toBe(true);
    await expect(millrace.finished(id)).rejects.toMatchObject({ code: 'job_not_found' });
    expect(millrace.pause()).toBe(true);
    expect(millrace.status()).toMatchObject({ state: 'paused', inFlight: 0 });
    expect(millrace.resume()).toBe(true);
  });

  it('are given the service of their kind', async () => {
    const { url } = await fresh();
    const post = defineJob({
      kind: 'post',
      input: z.string(),
      run: async ({ data }, _, service: { send(to: string): string }) => done(service.send(data)),
    });
    const services = { post: { send: (to: string) => `sent to ${to}` } };
    const millrace = await open({ database: url, jobs: [post], services });
    await millrace.start();
    const { id } = await millrace.enqueue(post, 'Ada');
    expect((await millrace.finished(id)).result).toBe('sent to Ada');
  });

  it('are followed by rules and made by schedules', async () => {
    const { url } = await fresh();
    const rule = defineRule({
      name: 'greet-the-result',
      parents: ['greet'],
      child: 'echo',
      data: ({ result }) => result,
    });
    const echo = defineJob({
      kind: 'echo',
      input: z.string(),
      run: async ({ data }) => done(data.toUpperCase()),
    });
    const job = { kind: 'greet', data: { name: 'Cron' } };
    const millrace = await open({
      database: url,
      jobs: [greet, echo],
      rules: [rule],
      schedules: [defineSchedule({ name: 'each-second', cron: '* * * * * *', job })],
    });
    const echoed = new Promise<string>((resolve) => {
      millrace.on('job.succeeded', ({ kind, id }) => kind === 'echo' && resolve(id));
    });
    await millrace.start();
    expect((await millrace.get(await echoed))?.result).toBe('GOOD MORNING, CRON.');
  });
});

describe('finished', () => {
  it('hears of jobs that end in another process', async () => {
    const { url } = await fresh();
    const web = await open({ database: url, jobs: [greet] });
    const worker = await open({ database: url, jobs: [greet] });
    const { id } = await web.enqueue(greet, { name: 'Ada' });
    const ended = web.finished(id);
    await worker.start();
    expect((await ended).result).toBe('Good morning, Ada.');
  });

  it('ends when it is asked to', async () => {
    const { url } = await fresh();
    const millrace = await open({ database: url, jobs: [greet] });
    const { id } = await millrace.enqueue(greet, { name: 'Ada' });
    const controller = new AbortController();
    const ended = millrace.finished(id, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
  });
});

describe('the end', () => {
  it('lets jobs finish, and hands back those that take longer than the grace', async () => {
    const { url } = await fresh();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = defineJob({
      kind: 'slow',
      input: z.enum(['soon', 'never']),
      run: async ({ data }, { signal }) => {
        if (data === 'soon') await held;
        else {
          await once(signal, 'abort');
          signal.throwIfAborted();
        }
        return done('ended');
      },
    });
    const options = { database: url, jobs: [slow], shutdownGrace: '1s' } as const;
    const millrace = await open(options);
    const started = new Set<string>();
    const both = new Promise<void>((resolve) => {
      millrace.on('job.started', ({ id }) => started.add(id).size === 2 && resolve());
    });
    await millrace.start();
    const soon = await millrace.enqueue(slow, 'soon');
    const never = await millrace.enqueue(slow, 'never');
    await both;
    const stopped = millrace.stop();
    expect(millrace.stop()).toBe(stopped);
    release();
    await stopped;
    await expect(millrace.start()).rejects.toThrow('Make another one with createMillrace');
    const next = await open(options);
    expect(await next.get(soon.id)).toMatchObject({ state: 'SUCCEEDED', result: 'ended' });
    expect(await next.get(never.id)).toMatchObject({ state: 'QUEUED', attempt: 0 });
  });

  it('is nothing that signals are needed for', async () => {
    const { url } = await fresh();
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit', 'uncaughtException'] as const;
    const before = signals.map((name) => process.listenerCount(name));
    const millrace = await open({ database: url, jobs: [greet] });
    await millrace.start();
    expect(signals.map((name) => process.listenerCount(name))).toEqual(before);
  });
});

describe('the log', () => {
  it('is the console: what handlers log, and what somebody may have to look into', async () => {
    const { url } = await fresh();
    const info = vi.spyOn(console, 'info').mockImplementation(() => {});
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => {
      info.mockRestore();
      warn.mockRestore();
    });
    const talk = defineJob({
      kind: 'talk',
      input: z.null(),
      run: async (_, { log }) => log.info({ count: 2n }, 'counted'),
    });
    const millrace = await createMillrace({ database: url, jobs: [talk, fail] });
    onTestFinished(() => millrace.stop());
    await millrace.start();
    const talked = await millrace.enqueue(talk, null);
    const failed = await millrace.enqueue(fail, { why: 'because' });
    await Promise.all([talked, failed].map(({ id }) => millrace.finished(id)));
    const said = `millrace: counted id='${talked.id}' kind='talk' attempt=1 correlationId='${talked.id}' count=2n`;
    expect(info.mock.calls).toEqual([[said]]);
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          new RegExp(`^millrace: job failed: no: because; id='${failed.id}' kind='fail'`),
        ),
      ],
    ]);
  });
});
