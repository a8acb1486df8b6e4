// Jobs of every shape. What a job makes is named after what made it, so that one thing made twice has the same data.
// Everything that a handler does is a row in `executions`: written outside of the queue, before anything else.
import { JobFailure, defer, defineJob, done } from '@millrace/engine';
import { z } from 'zod';

const CHUNKS = 4;
const POLLS = 2;
const n = z.number();

/** Enough for any number of faults, and soon. */
const retry = { backoff: 'linear', retries: 10_000, step: 0 };

/**
 * @param {{ id: string, trace: (kind: string, n: number, lease: { id: string, epoch: number }) => Promise<unknown> }} options
 */
export function createKinds({ id, trace }) {
  /** A kind that leaves a trace, takes a moment, and has its lease as its result. */
  const shape = (kind, { input = z.object({ n }), takesMs = 0, act = () => {}, ...rest } = {}) =>
    defineJob({
      kind,
      input,
      retry,
      async run(job, context) {
        await trace(kind, job.data.n, context.lease);
        await pause(takesMs);
        return act(job, context) ?? done({ by: id, epoch: context.lease.epoch });
      },
      ...rest,
    });
  const pause = (ms = 0) =>
    new Promise((resolve) => setTimeout(resolve, ms + 10 + Math.random() * 40));

  return [
    // The event loop stands still where it is asked for: no timer fires, no heartbeat goes out.
    shape('work', {
      input: z.object({ n, blockMs: z.number() }),
      act({ data }) {
        const until = performance.now() + data.blockMs;
        while (id.startsWith('blocking') && performance.now() < until);
      },
    }),
    // Children, one of them under a key that ten orders share; a failure first.
    shape('order', {
      act({ data, attempt }, { enqueue }) {
        for (const kind of ['left', 'right']) enqueue({ kind, data });
        for (const item of [1, 2]) enqueue({ kind: 'item', data: { ...data, item, poll: 0 } });
        const group = Math.floor(data.n / 10);
        enqueue({ kind: 'shared', data: { n: group }, key: `group ${group}` });
        // What an execution that fails has asked for is not made.
        if (attempt === 1 && data.n % 3 === 0) throw new Error('Not at the first attempt.');
      },
    }),
    shape('left'),
    shape('right'),
    shape('shared'),
    // Made by rules.
    shape('receipt'),
    shape('joined'),
    // Puts itself back, and makes a child each time.
    shape('item', {
      input: z.object({ n, item: z.number(), poll: z.number() }),
      act({ data }, { enqueue }) {
        if (data.poll === POLLS) return;
        const next = { ...data, poll: data.poll + 1 };
        enqueue({ kind: 'note', data: next });
        return defer({ after: 20, data: next });
      },
    }),
    shape('note', { input: z.object({ n, item: z.number(), poll: z.number() }) }),
    // A child with each chunk.
    defineJob({
      kind: 'stretch',
      input: z.object({ n }),
      retry,
      async *run({ data, cursor }, { lease, enqueue }) {
        await trace('stretch', data.n, lease);
        for (let chunk = (cursor ?? 0) + 1; chunk <= CHUNKS; chunk++) {
          await pause();
          enqueue({ kind: 'piece', data: { ...data, chunk } });
          yield { cursor: chunk, progress: { done: chunk, total: CHUNKS } };
        }
        return done({ by: id, epoch: lease.epoch });
      },
    }),
    shape('piece', { input: z.object({ n, chunk: z.number() }) }),
    // Fails for good, and is cleaned up after.
    shape('doomed', {
      act() {
        throw new JobFailure('doomed', 'It was never going to work.', { retryable: false });
      },
      cleanup: () => pause(),
    }),
    // Cancelled by hand before it is due, and cleaned up after.
    shape('abandoned', { cleanup: () => pause() }),
    // Long enough for a worker that was stopped to wake up while its successor is still at it.
    shape('contested', { takesMs: 700 }),
    // Asked for several times under one key.
    shape('once'),
  ];
}

export const rules = [
  { name: 'receipt', parents: ['order'], child: 'receipt', data: ({ data }) => data },
  {
    name: 'joined',
    parents: ['left', 'right'],
    child: 'joined',
    match: ({ data }) => String(data.n),
    data: ({ data }) => ({ n: data.n }),
  },
];
