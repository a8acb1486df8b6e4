import { type TransferListItem, Worker } from 'node:worker_threads';
import { TemplateError } from '../errors.ts';

/**
 * A few threads of one program, each of which has one question at a time. They start when first needed and end with
 * `close`; idle ones do not keep the process alive. One that takes too long or too much memory is ended, and what it
 * was asked is refused as `too_complex`: the same bytes would take as much the next time.
 */
export interface Pool<Question, Answer> {
  ask(question: Question, options?: AskOptions): Promise<Answered<Answer>>;
  close(): Promise<void>;
}

export interface AskOptions {
  /** Goes over to the thread: whoever gives it has it no more. */
  readonly moved?: readonly TransferListItem[] | undefined;
  /** The thread that knows something of the question already; taken if it is idle. */
  readonly rather?: number | undefined;
}

export interface Answered<Answer> {
  readonly answer: Answer;
  /** The number of the thread that gave it. */
  readonly thread: number;
}

export interface PoolParams {
  readonly script: URL;
  readonly size: number;
  /** The limit of one thread's heap. Bytes of files are not in it: those have limits of their own. */
  readonly memoryMb: number;
  /** For one question, from the moment that a thread has it. */
  readonly timeoutMs: number;
  /** Questions that may wait for a thread; one more is refused with ThreadsBusy. */
  readonly waiting: number;
  readonly workerData?: unknown;
}

/** All threads have work, and as many questions wait as may. */
export class ThreadsBusy extends Error {
  override readonly name = 'ThreadsBusy';
}

interface Task<Question, Answer> extends AskOptions {
  readonly question: Question;
  readonly settle: (answered: Answered<Answer>) => void;
  readonly refuse: (reason: unknown) => void;
}

interface Thread<Question, Answer> {
  readonly number: number;
  worker: Worker | null;
  task: Task<Question, Answer> | null;
  timer: NodeJS.Timeout | null;
}

export function createPool<Question, Answer>(params: PoolParams): Pool<Question, Answer> {
  const { script, size, memoryMb, timeoutMs, waiting, workerData } = params;
  type Own = Thread<Question, Answer>;
  const threads: Own[] = Array.from({ length: size }, (_, number) => ({
    number,
    worker: null,
    task: null,
    timer: null,
  }));
  const queue: Task<Question, Answer>[] = [];
  let closed = false;

  function next(): void {
    while (queue.length > 0) {
      const idle = threads.filter(({ task }) => task === null);
      const thread =
        idle.find(({ number }) => number === queue[0]?.rather) ??
        idle.find(({ worker }) => worker !== null) ??
        idle[0];
      const task = thread && queue.shift();
      if (thread === undefined || task === undefined) return;
      begin(thread, task);
    }
  }

  function begin(thread: Own, task: Task<Question, Answer>): void {
    thread.worker ??= start(thread);
    thread.task = task;
    const { worker } = thread;
    worker.ref();
    try {
      worker.postMessage(task.question, [...(task.moved ?? [])]);
    } catch (error) {
      // Functions, symbols and the like: nothing that a template could show.
      const why = error instanceof Error ? error.message : String(error);
      release(thread).refuse(new TemplateError('bad_value', `The data is no plain data: ${why}`));
      return;
    }
    thread.timer = setTimeout(() => void overdue(thread, worker), timeoutMs);
  }

  /** The thread has no task any more. */
  function release(thread: Own): Pick<Task<Question, Answer>, 'settle' | 'refuse'> {
    const { task, timer } = thread;
    if (timer !== null) clearTimeout(timer);
    thread.task = null;
    thread.timer = null;
    thread.worker?.unref();
    queueMicrotask(next);
    return task ?? { settle: () => {}, refuse: () => {} };
  }

  /** The thread stays taken until it has really ended: a new one beside it would take a second core. */
  async function overdue(thread: Own, worker: Worker): Promise<void> {
    const task = thread.task;
    thread.task = task && { ...task, settle: () => {}, refuse: () => {} };
    thread.timer = null;
    task?.refuse(tooComplex(`more than ${timeoutMs / 1_000} s`));
    await worker.terminate();
  }

  function start(thread: Own): Worker {
    const worker = new Worker(script, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      // The thread gets no environment: it needs no secret of the service. Its output is not piped: streams would
      // keep the process alive.
      env: {},
      execArgv: [],
    });
    worker.on('message', (answer: Answer) => {
      // Too late: it is being ended.
      if (thread.timer === null) return;
      release(thread).settle({ answer, thread: thread.number });
    });
    worker.on('error', (error: Error) => {
      const reason = isOutOfMemory(error) ? tooComplex(`more than ${memoryMb} MB`) : error;
      thread.task?.refuse(reason);
    });
    worker.on('exit', () => {
      thread.worker = null;
      release(thread).refuse(new Error('The thread ended before it had answered.'));
    });
    return worker;
  }

  return {
    ask(question, options = {}) {
      if (closed) return Promise.reject(new Error('The threads are closed.'));
      if (queue.length >= waiting && threads.every(({ task }) => task !== null))
        return Promise.reject(new ThreadsBusy(`${queue.length} templates wait already.`));
      return new Promise((settle, refuse) => {
        queue.push({ ...options, question, settle, refuse });
        next();
      });
    },
    async close() {
      closed = true;
      for (const { refuse } of queue.splice(0)) refuse(new Error('The threads are closed.'));
      await Promise.all(threads.flatMap(({ worker }) => worker?.terminate() ?? []));
    },
  };
}

function tooComplex(took: string): TemplateError {
  return new TemplateError(
    'too_complex',
    `The template takes ${took} to work through. Make it simpler or smaller: fewer paragraphs, tags or rows.`,
  );
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
