import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { lastWithin, withinTime } from './within-time.ts';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

/** Holds nothing of the signal but what a driver holds: a listener. */
function untilAborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve((signal.reason as Error).name)),
  );
}

test('the end comes although garbage is collected meanwhile', async () => {
  const collecting = setInterval(collect, 5);
  const caller = new AbortController();
  await expect(withinTime(60, caller.signal, untilAborted)).resolves.toBe('TimeoutError');
  clearInterval(collecting);
});

test('the caller ends it sooner, also one who has gone already', async () => {
  const caller = new AbortController();
  const ended = withinTime(60_000, caller.signal, untilAborted);
  caller.abort(new Error('gone'));
  await expect(ended).resolves.toBe('Error');
  const isAborted = await withinTime(60_000, caller.signal, async ({ aborted }) => aborted);
  expect(isAborted).toBe(true);
});

test('nothing of it stays with the caller', async () => {
  const caller = new AbortController();
  let left = 0;
  const { addEventListener, removeEventListener } = caller.signal;
  Object.assign(caller.signal, {
    addEventListener: (...given: Parameters<typeof addEventListener>) => {
      left += 1;
      addEventListener.apply(caller.signal, given);
    },
    removeEventListener: (...given: Parameters<typeof removeEventListener>) => {
      left -= 1;
      removeEventListener.apply(caller.signal, given);
    },
  });
  await expect(withinTime(60_000, caller.signal, async () => 'done')).resolves.toBe('done');
  expect(left).toBe(0);
});

/** As the watchers of runs do: between two looks nothing but a listener holds the signal. */
async function* watchForEver(signal: AbortSignal): AsyncGenerator<string> {
  yield 'running';
  await untilAborted(signal);
}

test('who waits for a run has an answer in time, although garbage is collected meanwhile', async () => {
  const collecting = setInterval(collect, 5);
  const caller = new AbortController();
  await expect(lastWithin(60, caller.signal, 'queued', watchForEver)).resolves.toBe('running');
  clearInterval(collecting);
});

test('who does not wait has the first answer, and nobody watches', async () => {
  const watch = (): never => {
    throw new Error('nobody asked');
  };
  const { signal } = new AbortController();
  await expect(lastWithin(0, signal, 'queued', watch)).resolves.toBe('queued');
});
