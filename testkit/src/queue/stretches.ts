import { AsyncLocalStorage } from 'node:async_hooks';
import type { Chunk, Outcome } from '@millrace/engine';
import { TestQueueError } from './errors.ts';

/**
 * Handlers are real code, and may ask a real server or read a real file. Virtual time stands still for as long as one of
 * them is at it, so that no lease and no timeout ends meanwhile, however slow the machine is. It goes on while a handler
 * waits for something of the virtual world: `queue.sleep`, or an answer of the store.
 */
export interface Stretches<Owner> {
  /** Runs a handler; what it returns is what the handler returned. */
  follow<T>(owner: Owner, run: () => T): T;
  /** The job whose handler the caller is a part of. */
  current(): Owner | undefined;
  /** Time may pass while this is waited for. */
  virtually<T>(wait: Promise<T>): Promise<T>;
  /** For virtual time: a promise while a handler does something real. */
  hold(): Promise<void> | null;
  /** Handlers that have not ended, also those that wait in virtual time. */
  count(): number;
  /** Their process is dead: what they still do has no effect, and nobody waits for them. */
  forget(isGone: (owner: Owner) => boolean): void;
}

/** From a call of the handler to its answer; in a handler with chunks, from one chunk to the next. */
interface Stretch<Owner> {
  readonly owner: Owner;
  /** How many things of the virtual world it waits for. */
  waits: number;
  isForgotten: boolean;
}

type Chunks = AsyncGenerator<Chunk, Outcome | void, void>;

// As they were when this file was loaded: fake timers of a test runner would never fire.
const { setTimeout, clearTimeout } = globalThis;

export function createStretches<Owner>(params: {
  readonly patienceMs: number;
  readonly describe: (owner: Owner) => string;
}): Stretches<Owner> {
  const { patienceMs, describe } = params;
  /** On only while a handler runs: on Node 20 and 22 it makes every promise of the process slower. */
  const inside = new AsyncLocalStorage<Stretch<Owner>>();
  const open = new Set<Stretch<Owner>>();
  /** Forgotten ones too, which must still be known by what they do. */
  let unfinished = 0;
  let onChange: () => void = () => {};

  function follow<T>(owner: Owner, run: () => T): T {
    const stretch = { owner, waits: 0, isForgotten: false };
    const returned = inside.run(stretch, run);
    if (isGenerator(returned)) return followed(stretch, returned) as T;
    if (isPromise(returned)) track(stretch, returned);
    return returned;
  }

  /** One whose process has died before its first `await` is not waited for either. */
  function track(stretch: Stretch<Owner>, work: PromiseLike<unknown>): void {
    if (!stretch.isForgotten) open.add(stretch);
    unfinished += 1;
    const end = (): void => {
      open.delete(stretch);
      unfinished -= 1;
      if (unfinished === 0) inside.disable();
      onChange();
    };
    work.then(end, end);
  }

  /** Each step of the generator is a stretch of its own: between two of them the chunk is saved. */
  function followed(stretch: Stretch<Owner>, chunks: Chunks): Chunks {
    function step<T>(take: () => Promise<T>): Promise<T> {
      const taken = inside.run(stretch, take);
      track(stretch, taken);
      return taken;
    }
    return Object.assign(Object.create(chunks) as Chunks, {
      next: () => step(() => chunks.next()),
      return: (value: Outcome | void) => step(() => chunks.return(value)),
      throw: (thrown: unknown) => step(() => chunks.throw(thrown)),
    });
  }

  async function virtually<T>(wait: Promise<T>): Promise<T> {
    const stretch = inside.getStore();
    if (stretch === undefined) return wait;
    stretch.waits += 1;
    onChange();
    try {
      return await wait;
    } finally {
      stretch.waits -= 1;
    }
  }

  function busy(): Stretch<Owner>[] {
    return [...open].filter(({ waits }) => waits === 0);
  }

  function hold(): Promise<void> | null {
    const [first] = busy();
    if (first === undefined) return null;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(stuck(describe(first.owner), patienceMs)), patienceMs);
      onChange = () => {
        clearTimeout(timer);
        onChange = () => {};
        resolve();
      };
    });
  }

  return {
    follow,
    current: () => inside.getStore()?.owner,
    virtually,
    hold,
    count: () => open.size,
    forget(isGone) {
      const current = inside.getStore();
      for (const stretch of [...open, ...(current === undefined ? [] : [current])]) {
        if (!isGone(stretch.owner)) continue;
        stretch.isForgotten = true;
        open.delete(stretch);
      }
      onChange();
    },
  };
}

function isGenerator(value: unknown): value is Chunks {
  return value !== null && typeof value === 'object' && Symbol.asyncIterator in value;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return value !== null && typeof value === 'object' && 'then' in value;
}

function stuck(who: string, ms: number): TestQueueError {
  return new TestQueueError(
    'handler_stuck',
    `${who} has run for ${ms / 1_000} s of real time without an end, and virtual time stands still meanwhile. ` +
      "Is a call in it not faked (fetch, setTimeout)? A fake that takes long waits with queue.sleep('10m', { signal }). " +
      'Where real time is meant, give createTestQueue a longer patience.',
  );
}
