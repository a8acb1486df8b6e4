import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { lint } from '../lint.ts';
import { type Template, compile } from '../template.ts';
import { tryOut } from '../trial/trial.ts';
import { type Answer, type Named, type Question, answerOf } from './questions.ts';

/** The program of a thread: one question after the other, as pool.ts sends them. */

/**
 * Where all processors are busy, the thread that answers requests goes first: with one hostile file at a time, the 99th
 * percentile of its event loop's delay fell from 69 ms to 31 on two processors with a load of 8. Not lower, since merges share
 * the processors with LibreOffice and must not starve. Linux takes 0 for the thread that asks; elsewhere it means the whole
 * process, which stays as it is.
 */
const NICE = 5;
if (process.platform === 'linux') setPriority(0, NICE);

const { cacheBytes } = workerData as { cacheBytes: number };

/** A Map keeps the order of insertion: the first is the one that was not used for longest. */
const templates = new Map<number, Template>();
let held = 0;

parentPort?.on('message', (question: Question) => {
  let answer: Answer;
  try {
    answer = answerTo(question);
  } catch (thrown) {
    answer = answerOf(thrown);
  }
  parentPort?.postMessage(answer, moved(answer));
});

function answerTo(question: Question): Answer {
  switch (question.type) {
    case 'lint':
      return { type: 'report', report: lint(question.bytes, question.options) };
    case 'check':
      compile(question.bytes);
      return { type: 'report', report: lint(question.bytes, question.options) };
    case 'trial':
      return { type: 'trial', trial: tryOut(question.bytes, question.options) };
    default: {
      const template = find(question);
      return template === null ? { type: 'unknown' } : answerWith(template, question);
    }
  }
}

function answerWith(
  template: Template,
  question: Extract<Question, { type: 'compile' | 'merge' | 'images' | 'problems' }>,
): Answer {
  if (question.type === 'images')
    return { type: 'images', urls: template.imagesNeeded(...question.asked) };
  if (question.type === 'problems') {
    const { rows, options } = question;
    return { type: 'problems', problems: rows.map((row) => template.problems(row, options)) };
  }
  if (question.type === 'merge') {
    const merged = template.merge(question.data, question.options);
    // A copy, since small buffers share one of Node's, and only a whole one can go over to the other thread.
    return { type: 'merged', docx: new Uint8Array(merged) };
  }
  const { fields, fonts, size, stripped, hasImages } = template;
  return { type: 'compiled', facts: { fields, fonts, size, stripped, hasImages } };
}

function find({ template: number, bytes }: Named): Template | null {
  const known = templates.get(number);
  if (known === undefined && bytes === null) return null;
  const template = known ?? compile(bytes ?? new Uint8Array());
  templates.delete(number);
  templates.set(number, template);
  if (known === undefined) held += template.size;
  for (const [oldest, { size }] of templates) {
    if (held <= cacheBytes || oldest === number) break;
    templates.delete(oldest);
    held -= size;
  }
  return template;
}

function moved(answer: Answer): ArrayBuffer[] {
  if (answer.type === 'merged') return [answer.docx.buffer];
  return answer.type === 'trial' && answer.trial.docx !== null ? [answer.trial.docx.buffer] : [];
}
