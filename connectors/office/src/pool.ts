import { convertOn } from './convert.ts';
import { type Death, survives } from './death.ts';
import { OfficeError } from './errors.ts';
import { type Converted, type Job, type Request, createJob } from './job.ts';
import { type PoisonList, refused } from './poison.ts';
import { type Fleet, type FleetParams, createFleet } from './processes/fleet.ts';
import type { Member } from './processes/members.ts';
import { createWaiting } from './lanes.ts';

/**
 * The way of a document: `submit` puts it into its lane, `pump` gives it to a free process, `run` has it
 * converted, and `afterDeath` decides what its process's death means.
 */
export interface Pool {
  readonly fleet: Fleet;
  submit(request: Request): Promise<Converted>;
  stats(): PoolStats;
  close(): Promise<void>;
}

export interface PoolStats {
  readonly activeJobs: number;
  readonly queuedJobs: number;
  readonly completedJobs: number;
  readonly failedJobs: number;
  readonly canceledJobs: number;
  /** Completed and failed together. */
  readonly totalConversions: number;
  readonly retriedJobs: number;
  readonly timeouts: number;
}

export type PoolParams = Omit<FleetParams, 'onIdle' | 'onBroken'> & {
  readonly timeoutMs: number;
  readonly poison: PoisonList;
};

export function createPool(params: PoolParams): Pool {
  const { poison, onEvent, timeoutMs } = params;
  const waiting = createWaiting(params.slots);
  const running = new Set<Job>();
  const totals = { completed: 0, failed: 0, canceled: 0, retried: 0, timeouts: 0 };
  let sequence = 0;
  let closed = false;
  const fleet = createFleet({ ...params, onIdle: pump, onBroken });
  fleet.fill();

  function submit(request: Request): Promise<Converted> {
    const { lane, correlationId } = request;
    return new Promise((resolve, reject) => {
      const job = createJob(request, {
        aborted: () => cancel(job, 'The conversion was canceled.', false),
        converted(result) {
          totals.completed += 1;
          onEvent({ type: 'converted', lane, correlationId, timings: result.timings });
          resolve(result);
        },
        failed(error) {
          if (error.code === 'canceled') totals.canceled += 1;
          else totals.failed += 1;
          onEvent({ type: 'failed', lane, correlationId, code: error.code });
          reject(error);
        },
      });
      const refusal = whyRefused(job);
      if (refusal !== null) return job.reject(refusal);
      job.onTurn?.('waiting');
      waiting.push(job);
      pump();
    });
  }

  function whyRefused({ sha256, signal }: Job): OfficeError | null {
    if (closed) return new OfficeError('canceled', 'The office is closed.', true);
    if (signal?.aborted === true)
      return new OfficeError('canceled', 'The conversion was canceled.');
    const decision = fleet.decision();
    if (decision?.way === 'none') return new OfficeError('office_missing', decision.detail ?? '');
    const why = poison.why(sha256);
    return why === null ? null : refused(why, timeoutMs);
  }

  function pump(): void {
    for (const member of fleet.idle()) {
      const batchRunning = [...running].filter(({ lane }) => lane === 'batch').length;
      const job = waiting.next({ isNew: member.documents === 0, batchRunning });
      if (job !== null) void run(member, job);
    }
    if (waiting.retries() > 0) fleet.wantFresh(waiting.retries());
  }

  async function run(member: Member, job: Job): Promise<void> {
    fleet.take(member);
    running.add(job);
    job.onTurn?.('running');
    const attempt = await convertOn(member, job, {
      ...params,
      place: String(++sequence),
      onLeft(error) {
        const { correlationId } = job;
        params.log.warn(
          { error: String(error), correlationId },
          'The files of a conversion could not be removed',
        );
        onEvent({ type: 'files_left' });
      },
    });
    running.delete(job);
    if (attempt.type === 'converted') job.resolve(attempt.result);
    else if (attempt.type === 'failed') job.reject(attempt.error);
    else afterDeath(job, attempt.death);
    if (member.process.alive())
      fleet.release(member, { failed: attempt.type === 'failed' && attempt.suspect });
    pump();
  }

  function afterDeath(job: Job, death: Death): void {
    if (death.reason === 'timeout' && !job.settled) totals.timeouts += 1;
    if (!survives(job, death, params)) return;
    totals.retried += 1;
    job.onTurn?.('waiting');
    waiting.pushRetry(job);
  }

  function cancel(job: Job, message: string, retryable: boolean): void {
    waiting.remove(job);
    job.reject(new OfficeError('canceled', message, retryable));
  }

  function onBroken(reason: string): void {
    const isMissing = fleet.decision()?.way === 'none';
    for (const job of waiting.drain()) {
      job.reject(
        isMissing
          ? new OfficeError('office_missing', reason)
          : new OfficeError('conversion_failed', `LibreOffice does not start: ${reason}`, true),
      );
    }
  }

  return {
    fleet,
    submit,
    stats: () => ({
      activeJobs: running.size,
      queuedJobs: waiting.size(),
      completedJobs: totals.completed,
      failedJobs: totals.failed,
      canceledJobs: totals.canceled,
      totalConversions: totals.completed + totals.failed,
      retriedJobs: totals.retried,
      timeouts: totals.timeouts,
    }),
    async close() {
      closed = true;
      for (const job of waiting.drain()) cancel(job, 'The office was closed.', true);
      await fleet.close();
    },
  };
}
