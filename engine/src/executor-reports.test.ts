import { describe, expect, it } from 'vitest';
import { runOnce } from '../test/run-once.ts';
import {
  type Handler,
  answeringAfter,
  createWorld,
  later,
  refusingEffects,
  untilAborted,
  withoutHints,
  work,
} from '../test/world.ts';
import { JobFailure } from './errors.ts';
import { type Outcome, defer, done } from './kinds/outcome.ts';
import { RETRY } from './kinds/retry.ts';

/** The event of an end says what the store made of it, which need not be what the handler meant. */

describe('a job that was asked to stop, unheard by its worker', () => {
  const ends: [string, () => Promise<Outcome>][] = [
    ['would be tried again', () => Promise.reject(new JobFailure('busy', 'later'))],
    ['would be deferred', async () => defer({ after: '1h' })],
  ];

  it.each(ends)('and %s is reported as cancelled, and as nothing else', async (_, end) => {
    const goOn = later();
    const { worker, queue, enqueue, run, job, emitted, of } = createWorld({
      kinds: [work(() => goOn.promise.then(end))],
      wrap: withoutHints,
    });
    const id = await enqueue();
    worker.start();
    await run(10);
    await queue.cancel([id]);
    goOn.resolve();
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'CANCELED' });
    expect(of('job.canceled')).toMatchObject([{ id, attempt: 1 }]);
    const names = emitted.map(({ name }) => name).filter((name) => name.startsWith('job.'));
    expect(names).toEqual(['job.enqueued', 'job.started', 'job.canceled']);
    expect(worker.status().totals).toMatchObject({ canceled: 1, retries: 0, deferred: 0 });
  });

  it('and would be handed back is reported as cancelled', async () => {
    const { worker, queue, enqueue, run, of } = createWorld({
      kinds: [work((_, context) => untilAborted(context))],
      worker: { shutdownGrace: 0 },
      wrap: withoutHints,
    });
    const id = await enqueue();
    worker.start();
    await run(10);
    await queue.cancel([id]);
    const stopped = worker.stop();
    await run(1_000);
    await stopped;
    expect(of('job.canceled')).toMatchObject([{ id }]);
    expect(of('job.handedBack')).toEqual([]);
  });

  it('and had not begun when its worker stopped is reported as cancelled', async () => {
    const answer = later();
    const { worker, queue, enqueue, run, of } = createWorld({
      kinds: [work(async () => {})],
      wrap: answeringAfter(answer.promise),
    });
    const id = await enqueue();
    worker.start();
    await run(10);
    await queue.cancel([id]);
    const stopped = worker.stop();
    answer.resolve();
    await run(1_000);
    await stopped;
    expect(of('job.canceled')).toMatchObject([{ id, durationMs: 0 }]);
    expect(of('job.handedBack')).toEqual([]);
  });
});

describe('the stack with its causes', () => {
  const failing: Handler = async () => {
    throw new JobFailure('upload_failed', 'no upload', { cause: new TypeError('socket closed') });
  };
  const stack = expect.stringMatching(
    /no upload[^]*executor-reports[^]*\nCaused by: TypeError: socket closed\n/,
  );

  it('is reported with a retry, and kept', async () => {
    const { of, ended } = await runOnce(failing);
    expect(of('job.retrying')).toMatchObject([{ error: { code: 'upload_failed' }, stack }]);
    expect(ended.executions).toMatchObject([{ attempt: 1, outcome: 'retried', stack }]);
  });

  it('is reported with the last failure, and kept', async () => {
    const { of, ended } = await runOnce(failing, { retry: RETRY.never });
    expect(of('job.failed')).toMatchObject([{ error: { code: 'upload_failed' }, stack }]);
    expect(ended.executions).toMatchObject([{ attempt: 1, outcome: 'failed', stack }]);
  });

  it('is none where something else than an Error was thrown', async () => {
    const { of } = await runOnce(() => Promise.reject('oops'), { retry: RETRY.never });
    expect(of('job.failed')).toMatchObject([{ stack: null }]);
  });
});

it('effects that were refused under a policy that is wrong end the job, and the settler goes on', async () => {
  const refused = { code: 'full', message: 'No room.', retryable: true };
  const kind = {
    ...work(async ({ data }) =>
      data === null ? done(1, { effects: [{ type: 'upload' }] }) : done(2),
    ),
    retry: { backoff: 'steps', delays: ['soon' as '1s'] },
  } as const;
  const { worker, enqueue, run, job } = createWorld({
    kinds: [kind],
    wrap: refusingEffects(refused),
  });
  worker.start();
  const id = await enqueue();
  await run(10);
  const next = await enqueue({ data: 'next' });
  await run(10);
  expect(await job(id)).toMatchObject({ state: 'FAILED', error: { code: 'invalid_definition' } });
  expect(await job(next)).toMatchObject({ state: 'SUCCEEDED', result: '2' });
  expect(worker.status()).toMatchObject({ inFlight: 0, settling: 0 });
});
