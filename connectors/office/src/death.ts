import type { Log, OfficeEvent } from './events.ts';
import { OfficeError } from './errors.ts';
import type { Job } from './job.ts';
import { type PoisonList, refused, starved } from './poison.ts';
import type { Member } from './processes/members.ts';
import type { EndReason } from './processes/slot.ts';

/** How the process of a document ended. */
export interface Death {
  readonly reason: EndReason;
  readonly complaint: string;
  /** The share of its time in which it had a processor. */
  readonly worked: number;
  /** It began with half of the memory that it may have, or more: this document filled it. */
  readonly roomy: boolean;
}

/** With a processor for half of the time, it was the document and not the machine. */
const BUSY = 0.5;

/**
 * How long a document that nobody wants any more may still run. Most end sooner, and a killed process costs
 * half a second of start.
 */
const ABANDONED_MS = 1_000;

/** Decides after the death of its process: the document has ended, or another process may have it (true). */
export function survives(
  job: Job,
  { reason, complaint, worked, roomy }: Death,
  parts: {
    poison: PoisonList;
    timeoutMs: number;
    log: Log;
    onEvent: (event: OfficeEvent) => void;
  },
): boolean {
  const { poison, timeoutMs, log, onEvent } = parts;
  const { sha256, correlationId } = job;
  if (reason === 'canceled' || job.settled) return false;
  if (reason === 'closed') {
    job.reject(new OfficeError('canceled', 'The office was closed.', true));
    return false;
  }
  job.deaths += 1;
  log.warn(
    { reason, sha256, correlationId, complaint },
    'A LibreOffice process died with a document',
  );
  const of = reason === 'timeout' || reason === 'memory' ? reason : 'crash';
  // It had the processor and was not done, or the memory and filled it: the same bytes would do so again.
  const sure = (reason === 'timeout' && worked >= BUSY) || (reason === 'memory' && roomy);
  const isPoison = poison.died(sha256, of, { sure }) || job.deaths > 1;
  if (isPoison) onEvent({ type: 'poisoned', sha256 });
  if (isPoison) job.reject(refused(of, timeoutMs));
  else if (reason === 'timeout') job.reject(starved(timeoutMs));
  return !job.settled;
}

/** Ends the process of a canceled job, if it does not end by itself. */
export function giveUpOn(job: Job, member: Member): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => member.process.kill('canceled'), ABANDONED_MS);
  };
  job.signal?.addEventListener('abort', onAbort, { once: true });
  return {
    stop() {
      clearTimeout(timer);
      job.signal?.removeEventListener('abort', onAbort);
    },
  };
}
