import { type DataProblem, TemplateError } from '../errors.ts';
import { type LintOptions, type LintReport, reportOf } from '../lint.ts';
import type { MergeOptions, Template } from '../template.ts';
import { type Trial, failedTrial } from '../trial/trial.ts';
import { type Pool, createPool } from './pool.ts';
import { type Answer, type CheckOptions, type Facts, type Question, errorOf } from './questions.ts';

/**
 * `lint`, `compile` and `tryOut`, in threads. A file of 44 kB can take gigabytes and a template of 60 kB
 * minutes: here neither takes more than its limits, and nothing else of the process waits meanwhile
 * (docs/decisions/0012-template-threads.md).
 */
export interface Threads {
  /** As `lint`: what a template does wrong is in its report, also that it takes too long. */
  lint(bytes: Uint8Array, options?: LintOptions): Promise<LintReport>;
  /** The report on a template that can be compiled; others are refused with a TemplateError. */
  check(bytes: Uint8Array, options?: LintOptions): Promise<LintReport>;
  /** Throws nothing: a thread that ends is a file that failed. */
  tryOut(bytes: Uint8Array, options?: LintOptions): Promise<Trial>;
  /** Its result stays usable when threads come and go: it keeps the bytes to compile them again. */
  compile(bytes: Uint8Array): Promise<ThreadTemplate>;
  close(): Promise<void>;
}

export interface ThreadTemplate extends Facts {
  merge(data: unknown, options?: MergeOptions): Promise<Uint8Array>;
  imagesNeeded(...asked: Parameters<Template['imagesNeeded']>): Promise<string[]>;
  /** For each row, the problems that a merge would refuse it for. A thread is kept by a few hundred rows as long as by one large document. */
  problems(rows: readonly unknown[], options?: CheckOptions): Promise<(readonly DataProblem[])[]>;
}

export interface ThreadsParams {
  readonly size: number;
  /** 512: 400,000 empty paragraphs are linted within it, 4,950,000 are refused. */
  readonly memoryMb?: number | undefined;
  /** 60 s. The slowest of 1,864 files of others took 28 to lint and compile, on a machine with much other work. */
  readonly timeoutMs?: number | undefined;
  /** 1,000. */
  readonly waiting?: number | undefined;
  /** The limit of compiled templates in each thread: 250 MB. */
  readonly cacheBytes?: number | undefined;
  /** The program of the threads, where it is not the one beside this file. */
  readonly script?: URL | undefined;
}

/** Threads run what is built, also where the rest comes from the sources. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/threads/program.js' : './program.js',
  import.meta.url,
);
const MEMORY_MB = 512;
const TIMEOUT_MS = 60_000;
const WAITING = 1_000;
const CACHE_BYTES = 250_000_000;

export function openThreads(params: ThreadsParams): Threads {
  const { cacheBytes = CACHE_BYTES } = params;
  const pool = createPool<Question, Answer>({
    script: params.script ?? SCRIPT,
    size: params.size,
    memoryMb: params.memoryMb ?? MEMORY_MB,
    timeoutMs: params.timeoutMs ?? TIMEOUT_MS,
    waiting: params.waiting ?? WAITING,
    workerData: { cacheBytes },
  });
  let compiled = 0;

  return {
    async lint(bytes, options = {}) {
      try {
        return expected('report', await ask(pool, { type: 'lint', bytes, options })).report;
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        return reportOf(error);
      }
    },
    check: async (bytes, options = {}) =>
      expected('report', await ask(pool, { type: 'check', bytes, options })).report,
    async tryOut(bytes, options = {}) {
      try {
        return expected('trial', await ask(pool, { type: 'trial', bytes, options })).trial;
      } catch (thrown) {
        return failedTrial('compile', thrown);
      }
    },
    compile: (bytes) => templateIn(pool, (compiled += 1), bytes),
    close: pool.close,
  };
}

async function templateIn(
  pool: Pool<Question, Answer>,
  template: number,
  bytes: Uint8Array,
): Promise<ThreadTemplate> {
  let rather: number | undefined;

  /** Asks without the bytes first: most of the time the thread that is asked has compiled them before. */
  async function about(question: DistributiveOmit<Named, 'template' | 'bytes'>): Promise<Answer> {
    for (const sent of [rather === undefined ? bytes : null, bytes]) {
      const asked = { ...question, template, bytes: sent };
      const { answer, thread } = await pool.ask(asked, { rather });
      rather = thread;
      if (answer.type !== 'unknown') return answer;
    }
    throw new Error('A thread does not know the template whose bytes it was given.');
  }

  const { facts } = expected('compiled', await about({ type: 'compile' }));
  return {
    ...facts,
    async merge(data, options = {}) {
      const { docx } = expected('merged', await about({ type: 'merge', data, options }));
      return Buffer.from(docx.buffer);
    },
    async imagesNeeded(...asked) {
      if (!facts.hasImages) return [];
      return expected('images', await about({ type: 'images', asked })).urls;
    },
    problems: async (rows, options = {}) =>
      expected('problems', await about({ type: 'problems', rows, options })).problems,
  };
}

type Named = Extract<Question, { template: number }>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

async function ask(pool: Pool<Question, Answer>, question: Question): Promise<Answer> {
  return (await pool.ask(question)).answer;
}

function expected<Type extends Answer['type']>(
  type: Type,
  answer: Answer,
): Extract<Answer, { type: Type }> {
  if (answer.type === 'refused' || answer.type === 'broken') throw errorOf(answer);
  if (answer.type !== type) throw new Error(`A thread answered "${answer.type}", not "${type}".`);
  return answer as Extract<Answer, { type: Type }>;
}
