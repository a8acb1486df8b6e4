import { once } from 'node:events';
import { withinTime } from '@millrace/workload-kit';
import { isOutOfMemory, startLimitedThread } from '../../limited-thread.ts';
import type { Added } from './pdf-merge.ts';

/** Reading and writing a PDF takes 2 ms and more in which nothing else would run: so it has a thread of its own. */
export interface MergeThread {
  /** The bytes go over to the thread: whoever gives them has them no more. */
  add(name: string, pdf: Uint8Array<ArrayBuffer>): Promise<Answer>;
  end(): Promise<Answer>;
  close(): Promise<void>;
}

export type Question =
  | { readonly type: 'add'; readonly name: string; readonly pdf: Uint8Array }
  | { readonly type: 'end' };

export type Answer =
  | Added
  /** Merging this document took too long, or too much memory. */
  | { readonly type: 'refused'; readonly why: 'too_much' };

export interface MergeThreadParams {
  readonly title: string;
  /** The thread's program; tests give another one. */
  readonly script?: URL;
  /** The time that one document may take. */
  readonly patienceMs?: number;
  readonly memoryMb?: number;
}

/** Threads run what is built, also where the rest comes from the sources. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts')
    ? '../../../dist/batch/merged/merge-worker.js'
    : './merge-worker.js',
  import.meta.url,
);
const PATIENCE_MS = 60_000;
const MEMORY_MB = 1_024;

export function startMergeThread(params: MergeThreadParams): MergeThread {
  const { title, script = SCRIPT, patienceMs = PATIENCE_MS, memoryMb = MEMORY_MB } = params;
  let died: Error | null = null;
  const worker = startLimitedThread(script, { title }, memoryMb);
  worker.on('error', (error: Error) => {
    died = error;
  });

  async function ask(question: Question, moved: ArrayBuffer[]): Promise<Answer> {
    return withinTime(patienceMs, undefined, async (patience) => {
      try {
        if (died !== null) throw died;
        const answered = once(worker, 'message', { signal: patience });
        worker.postMessage(question, moved);
        return (await answered)[0] as Answer;
      } catch (error) {
        if (patience.aborted || isOutOfMemory(error)) return { type: 'refused', why: 'too_much' };
        throw error;
      }
    });
  }

  return {
    add: (name, pdf) => ask({ type: 'add', name, pdf }, [pdf.buffer]),
    end: () => ask({ type: 'end' }, []),
    async close() {
      await worker.terminate();
    },
  };
}
