import {
  type Duration,
  type FieldTable,
  type JobKind,
  type Rule,
  type Schedule,
  fieldsOf,
  toMs,
} from '@millrace/engine';
import { TestQueueError } from './errors.ts';

export interface TestQueueOptions {
  /** Every kind that the test has to do with: what is enqueued, and what handlers and rules enqueue. */
  readonly jobs: readonly JobKind[];
  readonly rules?: readonly Rule[];
  readonly schedules?: readonly Schedule[];
  /** The third argument of `run`, by the name of the kind. */
  readonly services?: Readonly<Record<string, unknown>>;
  /** The moment at which the clock of the queue begins: 1 January 2026 UTC if left out. */
  readonly start?: Date | number | string;
  /** Jobs that run at once, as in one worker. */
  readonly concurrency?: number;
  /** In real time: how long a handler may do something real before the test fails because it does not end. */
  readonly patience?: Duration;
}

export interface Settings {
  readonly jobs: readonly JobKind[];
  readonly rules: readonly Rule[];
  readonly schedules: readonly Schedule[];
  readonly services: Readonly<Record<string, unknown>>;
  readonly start: number;
  readonly concurrency: number;
  readonly patienceMs: number;
}

const NAMES: FieldTable<TestQueueOptions> = {
  jobs: true,
  rules: true,
  schedules: true,
  services: true,
  start: true,
  concurrency: true,
  patience: true,
};

const START = Date.UTC(2026, 0, 1);
/** Most runners end a test after 5 s, and would say less. */
const PATIENCE = '4s';

/** Tests may be JavaScript: a misspelt option must not leave its default in force without a word. */
export function refuseUnknown<T extends object>(
  what: string,
  given: T,
  names: FieldTable<T>,
): void {
  try {
    fieldsOf(what).known(given, names);
  } catch (error) {
    throw new TestQueueError('invalid_options', error instanceof Error ? error.message : '');
  }
}

export function settingsOf(options: TestQueueOptions): Settings {
  refuseUnknown('createTestQueue', options, NAMES);
  const { jobs, rules = [], schedules = [], services = {} } = options;
  const { start = START, concurrency = 20, patience = PATIENCE } = options;
  if (!Array.isArray(jobs) || jobs.length === 0 || !jobs.every(isKind))
    throw wrong('jobs is a list of kinds, as defineJob gives them: jobs: [greet].');
  const startAt = new Date(start).getTime();
  if (Number.isNaN(startAt)) throw wrong(`start is no date: ${JSON.stringify(start)}.`);
  const patienceMs = toMs(patience);
  if (!(patienceMs > 0)) throw wrong('patience is a duration above 0, such as "10s".');
  return { jobs, rules, schedules, services, start: startAt, concurrency, patienceMs };
}

function isKind(given: Partial<JobKind> | null | undefined): boolean {
  return typeof given?.kind === 'string' && typeof given.run === 'function';
}

function wrong(why: string): TestQueueError {
  return new TestQueueError('invalid_options', `createTestQueue: ${why}`);
}
