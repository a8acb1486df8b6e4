import type { Events } from '../events.ts';
import type { ClaimedJob } from '../job.ts';
import type { Log } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Store } from '../port.ts';
import type { Clock, Random } from '../time/clock.ts';
import type { Ended } from './decide.ts';
import type { Leases } from './leases.ts';
import type { LogBook, WriteLine } from './log-lines.ts';
import type { Settler } from './settler.ts';

/** What every execution of a worker works with. */
export interface ExecutorParts {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: Events;
  readonly leases: Leases;
  readonly settler: Settler;
  readonly leaseMs: number;
  readonly logFor: (job: ClaimedJob) => Log;
  readonly writeLine: WriteLine;
  readonly logBook: LogBook;
  /** Milliseconds since 1970, for people. */
  readonly wallClock: () => number;
  /** What `run` of a kind is given, by the kind's name. */
  readonly services: ReadonlyMap<string, unknown>;
  readonly tracing: Tracing | null;
}

/** Lets whoever runs the worker follow each execution. The engine does not know by what means. */
export interface Tracing {
  around(job: ClaimedJob, run: () => Promise<Ended>): Promise<Ended>;
  /** The W3C trace context of what runs now; children are linked to it. */
  current(): string | undefined;
}
