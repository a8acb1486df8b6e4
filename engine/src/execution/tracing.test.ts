import { describe, expect, it } from 'vitest';
import { suspectIn, twoPools } from '../../test/suspects.ts';
import { type Handler, createWorld, later, never, untilAborted, work } from '../../test/world.ts';
import { JobFailure } from '../errors.ts';
import type { Tracing } from '../executor.ts';
import { defer, done } from '../kinds/outcome.ts';
import type { Settlement } from '../port.ts';

/** A tracing follows the executions: it sees every end, and changes none. */

type Ended = Awaited<ReturnType<Tracing['around']>>;

/** Follows as it should, and notes what it saw. */
function following(seen: Ended['type'][] = []): Tracing {
  return {
    async around(_, run) {
      const ended = await run();
      seen.push(ended.type);
      return ended;
    },
    current: () => undefined,
  };
}

const ENDS: Record<string, Handler> = {
  returns: async () => done('made'),
  nothing: async () => {},
  nonsense: (async () => 5) as unknown as Handler,
  throws: () => Promise.reject(new JobFailure('bad', 'no', { retryable: false })),
  throwsAtOnce: () => {
    throw new JobFailure('bad', 'no', { retryable: false });
  },
  defers: async () => defer({ after: '1h' }),
  async *chunks() {
    yield { cursor: 1 };
    return done('chunks');
  },
  aborted: (_, context) => untilAborted(context),
  deaf: never,
};

/** Each end once, the running ones cancelled; what is left of the jobs and which events came. */
async function endings(tracing?: Tracing) {
  const begun: string[] = [];
  const { worker, queue, enqueue, run, all, emitted } = createWorld({
    kinds: [
      work((job, context) => {
        begun.push(job.id);
        return (ENDS[String(job.data)] ?? never)(job, context);
      }),
    ],
    ...(tracing && { tracing }),
  });
  for (const data of Object.keys(ENDS)) await enqueue({ data });
  worker.start();
  await run(1_000);
  await queue.cancelWhere({ state: 'PROCESSING' });
  await run(10_000);
  expect(worker.status()).toMatchObject({ inFlight: 0, settling: 0, pools: [{ inFlight: 0 }] });
  return {
    begun,
    jobs: (await all('work')).map(({ id, state, attempt, result, cursor, error }) => ({
      id,
      state,
      attempt,
      result,
      cursor,
      error,
    })),
    emitted: emitted
      .flatMap(({ name, event }) =>
        name.startsWith('job.') && 'id' in event ? [`${name} ${event.id}`] : [],
      )
      .toSorted(),
  };
}

describe('all ends are the same as without', () => {
  const odd: [string, Tracing['around']][] = [
    ['one that follows', following().around],
    [
      'one that throws before',
      () => {
        throw new Error('no exporter');
      },
    ],
    ['one that never runs it', async () => ({ type: 'gaveUp' })],
    [
      'one that throws after',
      async (_, run) => {
        await run();
        throw new Error('no exporter');
      },
    ],
    [
      'one that runs it twice',
      async (_, run) => {
        await Promise.all([run(), run()]);
        return run();
      },
    ],
    [
      'one that answers something else',
      async (_, run) => {
        await run();
        return { type: 'threw', thrown: new Error('mine') };
      },
    ],
  ];

  it.each(odd)('%s', async (_, around) => {
    expect(await endings({ around, current: () => undefined })).toEqual(await endings());
  });
});

it('hears of each end once, a handler that was given up too', async () => {
  const seen: Ended['type'][] = [];
  await endings(following(seen));
  const {
    returned = 0,
    threw = 0,
    gaveUp = 0,
  } = Object.fromEntries(
    (['returned', 'threw', 'gaveUp'] as const).map((type) => [
      type,
      seen.filter((each) => each === type).length,
    ]),
  );
  expect({ returned, threw, gaveUp }).toEqual({ returned: 4, threw: 4, gaveUp: 1 });
});

it('is waited for: what it adds to its span comes before the end is written', async () => {
  const span = later();
  const { worker, enqueue, run, job, line } = createWorld({
    kinds: [work(async () => done('made'))],
    tracing: {
      async around(_, go) {
        const ended = await go();
        await span.promise;
        return ended;
      },
      current: () => undefined,
    },
  });
  const id = await enqueue();
  worker.start();
  await run(1_000);
  expect(line.count('settle')).toBe(0);
  span.resolve();
  await run(10);
  expect(await job(id)).toMatchObject({ state: 'SUCCEEDED' });
  expect(line.count('settle')).toBe(1);
});

it('a handler that ends after it was given up changes nothing', async () => {
  const end = later();
  const seen: Ended['type'][] = [];
  const { worker, queue, enqueue, run, job, line } = createWorld({
    kinds: [work(() => end.promise)],
    tracing: following(seen),
  });
  const id = await enqueue();
  worker.start();
  await run(10);
  await queue.cancel([id]);
  await run(6_000);
  expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  end.resolve();
  await run(1_000);
  expect(seen).toEqual(['gaveUp']);
  expect(line.count('settle')).toBe(1);
  expect(worker.status().pools).toMatchObject([{ inFlight: 0 }]);
});

it('a job that was given up before its tracing let it run does not begin', async () => {
  const slow = later();
  let begun = 0;
  const { worker, queue, enqueue, run, job } = createWorld({
    kinds: [work(async () => void (begun += 1))],
    tracing: {
      around: (_, go) => slow.promise.then(go),
      current: () => undefined,
    },
  });
  const id = await enqueue();
  worker.start();
  await run(10);
  await queue.cancel([id]);
  await run(6_000);
  slow.resolve();
  await run(10);
  expect(begun).toBe(0);
  expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  expect(worker.status().pools).toMatchObject([{ inFlight: 0 }]);
});

it('follows a suspect as well, once it has begun', async () => {
  const seen: Ended['type'][] = [];
  const made = twoPools({ tracing: following(seen) });
  const id = await suspectIn(made);
  made.worker.start();
  await made.run(100);
  made.end('suspect');
  await made.run(100);
  expect(seen).toEqual(['returned']);
  expect(await made.job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
});

it('children are linked to what runs now', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const { worker, enqueue, run, line } = createWorld({
    kinds: [
      work(async (_, { enqueue: addChild }) => addChild({ kind: 'child', data: null })),
      work(async () => {}, { kind: 'child' }),
    ],
    tracing: { ...following(), current: () => traceparent },
  });
  await enqueue();
  worker.start();
  await run(10);
  const settlements = line.calls.flatMap(({ verb, params }) =>
    verb === 'settle' ? (params as { settlements: Settlement[] }).settlements : [],
  );
  expect(settlements.flatMap(({ children }) => children)).toMatchObject([{ traceparent }]);
});
