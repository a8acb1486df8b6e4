import type { Log } from '@millrace/engine';
import type { OutputFormat } from './contract/envelope.ts';

/** Never a document's or a request's id: those are for spans and logs. */
export interface Dimensions {
  readonly templateId: string;
  readonly outputFormat: OutputFormat | 'unknown';
  readonly mode: 'interactive' | 'batch';
}

export interface DocumentMetrics {
  /** What the document took, without what it waited. */
  duration(dimensions: Dimensions, ms: number): void;
  step(step: string, mode: Dimensions['mode'], ms: number): void;
  /** Once per document that was not made in the end. */
  failed(reason: string, dimensions: Dimensions): void;
  cacheHit(templateId: string): void;
  cacheMiss(templateId: string): void;
  cacheEviction(): void;
}

export const NO_METRICS: DocumentMetrics = {
  duration() {},
  step() {},
  failed() {},
  cacheHit() {},
  cacheMiss() {},
  cacheEviction() {},
};

export const NO_LOG: Log = { info() {}, warn() {}, error() {} };

/** Monotonic milliseconds. */
export interface Stopwatch {
  now(): number;
}

export interface Timings {
  readonly template: number;
  readonly merge: number;
  /** For a process of the office that others have. */
  readonly wait: number;
  readonly convert: number;
  readonly store: number;
  readonly total: number;
}

/** Begins a wait, and gives what ends it. */
export type Pause = () => () => void;

/** Adds up what each step takes; a step may come more than once. A wait within a step is not the step's. */
export function createTimings(clock: Stopwatch): {
  step<T>(name: Exclude<keyof Timings, 'total' | 'wait'>, work: () => T | Promise<T>): Promise<T>;
  readonly pause: Pause;
  timings(): Timings;
} {
  const started = clock.now();
  const spent = { template: 0, merge: 0, wait: 0, convert: 0, store: 0 };
  return {
    async step(name, work) {
      const from = clock.now();
      const waited = spent.wait;
      try {
        return await work();
      } finally {
        spent[name] += clock.now() - from - (spent.wait - waited);
      }
    },
    pause() {
      const from = clock.now();
      return () => void (spent.wait += clock.now() - from);
    },
    timings: () => ({ ...spent, total: clock.now() - started }),
  };
}
