import type { ZodType } from 'zod';
import type { Contract } from './contract.ts';
import type { Metric } from './metrics.ts';

/** What can go wrong with a request, by its code. The sentence that names the offending value is written where the refusal happens. */
export interface ErrorEntry {
  readonly status: number;
  /** Whether trying again can help. */
  readonly retryable: boolean;
  readonly title: string;
  /** What to do about it. */
  readonly help: string;
  /**
   * A status of 500 or more, and yet no fault of ours: callers get it by asking for more than there is room for, or for
   * what this service does not do. It is logged as denied: a line and a stack for each would be theirs to fill the log with.
   */
  readonly denied?: true;
}

/** The code that a failed job carries in `error.code`. */
export interface FailureEntry {
  /** Whether the job is tried again by itself while it has attempts left. */
  readonly retryable: boolean;
  /** What to do about it. */
  readonly help: string;
}

/** A chapter of the documentation. */
export interface Group {
  readonly name: string;
  readonly about: string;
  readonly contracts: Readonly<Record<string, Contract>>;
}

/** All that others know of a workload. Safe in a browser: server, command line and console import the same. */
export interface WorkloadContract {
  /** Every route, by the name its client method and its handler have. */
  readonly routes: Readonly<Record<string, Contract>>;
  readonly groups: readonly Group[];
  /** Schemas that are known by a name in the OpenAPI document. */
  readonly schemas: {
    readonly asked: Readonly<Record<string, ZodType>>;
    readonly given: Readonly<Record<string, ZodType>>;
  };
  readonly errors: Readonly<Record<string, ErrorEntry>>;
  readonly failures: Readonly<Record<string, FailureEntry>>;
  readonly metrics: Readonly<Record<string, Metric>>;
  /** What live events tell of its things, by the topic: an object whose `type` is the topic. */
  readonly topics?: Readonly<Record<string, ZodType>>;
}
