import { parentPort, workerData } from 'node:worker_threads';
import type { Answer, Question } from './merge-thread.ts';
import { createPdfMerge } from './pdf-merge.ts';

/** The program of the thread that merges: one document after the other, as merge-thread.ts sends them. */

const merge = createPdfMerge((workerData as { title: string }).title);

parentPort?.on('message', (question: Question) => void answer(question));

async function answer(question: Question): Promise<void> {
  const answered: Answer =
    question.type === 'end'
      ? { type: 'added', bytes: merge.end() }
      : await merge.add(question.name, question.pdf);
  if (answered.type !== 'added') return parentPort?.postMessage(answered, []);
  // A copy, since small buffers share one of Node's, and only a whole one can go over to the other thread.
  const bytes = new Uint8Array(answered.bytes);
  parentPort?.postMessage({ ...answered, bytes }, [bytes.buffer]);
}
