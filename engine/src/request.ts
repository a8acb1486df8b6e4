import { MillraceError } from './errors.ts';
import type { FieldTable } from './kinds/definition.ts';
import type { Duration } from './time/duration.ts';

/** A request for a job; `newJob` (`queue/new-job.ts`) turns it into what a store keeps, or says what is wrong with it. */
export interface JobRequest {
  readonly kind: string;
  readonly data: unknown;
  readonly tenant?: string;
  /** −1,000 to 1,000, higher first; none comes last. */
  readonly priority?: number;
  /** Not before this moment (a Date or milliseconds since 1970) … */
  readonly runAt?: Date | number;
  /** … or not before so long from now. */
  readonly delay?: Duration;
  /** The same key of the same kind and tenant makes one job, while it lives and `keyWindow` (24 h) after its success. */
  readonly key?: string;
  readonly keyWindow?: Duration;
  readonly correlationId?: string;
  readonly submitter?: string;
  readonly subject?: string;
  /** The address that gets a message when the job has ended. */
  readonly webhook?: string;
  /** The W3C trace context of the caller. */
  readonly traceparent?: string;
}

/** The fields of a request; anything else is refused. */
export const REQUEST_FIELDS: FieldTable<JobRequest> = {
  kind: true,
  data: true,
  tenant: true,
  priority: true,
  runAt: true,
  delay: true,
  key: true,
  keyWindow: true,
  correlationId: true,
  submitter: true,
  subject: true,
  webhook: true,
  traceparent: true,
};

const MOST_PRIORITY = 1_000;

/** Refuses a priority that the stores' indexes have no room for. */
export function checkPriority(priority: number): number {
  if (!Number.isInteger(priority) || Math.abs(priority) > MOST_PRIORITY) {
    throw new MillraceError(
      'invalid_priority',
      `The priority must be a whole number from -1000 to 1000, not ${priority}.`,
    );
  }
  return priority;
}
