import { on } from 'node:events';
import { isOutOfMemory, startLimitedThread } from '../../limited-thread.ts';
import { DocumentError } from '../../document-error.ts';
import type { TableLine } from './row.ts';

/**
 * A table that is read in a thread with limits on memory and time: what a hostile file can end is the thread, and the
 * service answers meanwhile.
 */
export interface ReadingThread {
  readonly script: URL;
  readonly order: object;
  /** How long the thread may work between two answers. */
  readonly patienceMs: number;
  readonly memoryMb: number;
  /** The next bytes of the file, where the thread asks for `more`; null at its end. */
  readonly more?: () => Promise<Uint8Array | null>;
  /** Sentences for the person whose file it is. */
  readonly sentences: { readonly tooMuch: string; readonly unreadable: string };
}

/** What is known of a table, and its rows. */
export type TableAnswer =
  | { readonly type: 'rows'; readonly rows: readonly TableLine[] }
  /** Of an XLSX, before its rows. */
  | { readonly type: 'sheet'; readonly name: string }
  /** Of a CSV, before its rows. */
  | { readonly type: 'delimiter'; readonly delimiter: string }
  /** Of a CSV, after its rows: before that it may still turn out to be another. */
  | { readonly type: 'encoding'; readonly encoding: string };

export type ThreadAnswer =
  | TableAnswer
  /** The thread waits for the next bytes of the file. */
  | { readonly type: 'more' }
  | { readonly type: 'end' }
  | { readonly type: 'refused'; readonly message: string };

export async function* answersOf(thread: ReadingThread): AsyncGenerator<TableAnswer> {
  const { script, order, patienceMs, memoryMb, more, sentences } = thread;
  // How many answers with rows were taken: the thread waits for it.
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const worker = startLimitedThread(script, { ...order, taken }, memoryMb);
  const stop = new AbortController();
  const answers = on(worker, 'message', { signal: stop.signal, close: ['exit'] });

  // The timer runs only while the thread works, not while it waits for bytes, nor while the reader is busy with the rows
  // before: then the thread waits, too.
  async function nextAnswer(): Promise<ThreadAnswer> {
    const patience = setTimeout(() => stop.abort(), patienceMs);
    try {
      const next = await answers.next();
      if (next.done === true) throw new Error('The thread went away before the last row.');
      return (next.value as [ThreadAnswer])[0];
    } catch (error) {
      const isTooMuch = stop.signal.aborted || isOutOfMemory(error);
      throw new DocumentError(
        'invalid_rows',
        isTooMuch ? sentences.tooMuch : sentences.unreadable,
        { cause: error },
      );
    } finally {
      clearTimeout(patience);
    }
  }

  try {
    for (;;) {
      const answer = await nextAnswer();
      if (answer.type === 'end') return;
      if (answer.type === 'refused') throw new DocumentError('invalid_rows', answer.message);
      if (answer.type === 'more') {
        worker.postMessage((await more?.()) ?? null, []);
        continue;
      }
      yield answer;
      if (answer.type === 'rows') {
        Atomics.add(taken, 0, 1);
        Atomics.notify(taken, 0);
      }
    }
  } finally {
    await worker.terminate();
  }
}

export interface Slots {
  /** `by`: whose file it is; left out, it is the process's own. */
  enter(by?: string): Promise<void>;
  leave(by?: string): void;
}

interface Waiting {
  readonly by: string | undefined;
  readonly enter: () => void;
}

/**
 * So many threads at once, however many uploads come: each may take its memory. One caller has half of them at the most. An upload
 * that comes slowly holds its thread for as long as the server waits for a request, and eight of them held up everybody's.
 */
export function createSlots(count: number): Slots {
  const share = Math.max(1, Math.floor(count / 2));
  let free = count;
  const held = new Map<string, number>();
  const waiting: Waiting[] = [];

  const mayEnter = (by: string | undefined) =>
    free > 0 && (by === undefined || (held.get(by) ?? 0) < share);

  function add(by: string | undefined, change: 1 | -1): void {
    free -= change;
    if (by === undefined) return;
    const now = (held.get(by) ?? 0) + change;
    if (now === 0) held.delete(by);
    else held.set(by, now);
  }

  return {
    async enter(by) {
      if (mayEnter(by)) return add(by, 1);
      await new Promise<void>((enter) => waiting.push({ by, enter }));
    },
    leave(by) {
      add(by, -1);
      const next = waiting.findIndex((one) => mayEnter(one.by));
      if (next === -1) return;
      const [entered] = waiting.splice(next, 1);
      if (entered === undefined) return;
      add(entered.by, 1);
      entered.enter();
    },
  };
}
