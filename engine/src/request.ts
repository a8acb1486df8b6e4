import type { FieldTable } from './kinds/definition.ts';
import type { Duration } from './time/duration.ts';

/** What people ask for; `newJob` (`queue/new-job.ts`) turns it into what a store keeps, or says what is wrong with it. */
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

/** What a request can say, for whoever refuses anything else. */
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
