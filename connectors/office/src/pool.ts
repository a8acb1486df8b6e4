import { type Death, giveUpOn, survives } from './death.ts';
import { OfficeError } from './errors.ts';
import { type Converted, type Job, type Request, createJob, timingsOf } from './job.ts';
import { type Fleet, type FleetParams, type Member, createFleet } from './processes/fleet.ts';
import { type Handover, handOver } from './processes/handover.ts';
import { createLanes } from './lanes.ts';
import { type PoisonList, refused } from './poison.ts';

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
  const lanes = createLanes<Job>(params.slots);
  /**
   * Documents whose process died: of them, or only with them. Each is tried once more in a new process, which tells.
   */
  const retries = new Set<Job>();
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
      lanes.push(lane, job);
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
      const job = (member.documents === 0 ? takeRetry() : null) ?? lanes.next(batchRunning);
      if (job !== null) void run(member, job);
    }
    if (retries.size > 0) fleet.wantFresh(retries.size);
  }

  function takeRetry(): Job | null {
    for (const job of retries) {
      retries.delete(job);
      return job;
    }
    return null;
  }

  async function run(member: Member, job: Job): Promise<void> {
    fleet.take(member);
    running.add(job);
    const { folder } = member.process;
    const { bytes, name } = job;
    const { account } = params;
    let files: Handover | undefined;
    const startedAt = performance.now();
    const abandon = giveUpOn(job, member);
    const roomy = member.rssMb <= params.memoryMb / 2;
    let failed = false;
    let settle: () => void;
    try {
      files = await handOver({ folder, place: String(++sequence), name, bytes, account });
      const outcome = await member.process.run(job.task(files), timeoutMs);
      if (outcome.type === 'done') {
        const { missing, printsName } = outcome;
        const result = { bytes: await files.take(), missing, printsName };
        settle = () => job.resolve({ ...result, timings: timingsOf(job, startedAt, outcome) });
      } else if (outcome.type === 'failed') {
        failed = outcome.code !== 'unsupported_option';
        const message = `LibreOffice could not convert it: ${outcome.reason}`;
        settle = () => job.reject(new OfficeError(outcome.code, message));
      } else {
        settle = () => afterDeath(job, { ...outcome, roomy });
      }
    } catch (error) {
      // The disk is full; or the process died before it saw the document, and took the folder with it.
      const message = `The document could not be handed over: ${String(error)}`;
      settle = member.process.alive()
        ? () => job.reject(new OfficeError('conversion_failed', message, true))
        : () => afterDeath(job, { reason: 'crash', complaint: message, worked: 0, roomy });
    }
    abandon.stop();
    running.delete(job);
    settle();
    // A dead process takes its folder with it.
    if (member.process.alive()) {
      void files?.remove().catch(() => {});
      fleet.release(member, { failed });
    }
    pump();
  }

  function afterDeath(job: Job, death: Death): void {
    if (death.reason === 'timeout' && !job.settled) totals.timeouts += 1;
    if (!survives(job, death, params)) return;
    totals.retried += 1;
    retries.add(job);
  }

  function cancel(job: Job, message: string, retryable: boolean): void {
    retries.delete(job);
    lanes.remove(job);
    job.reject(new OfficeError('canceled', message, retryable));
  }

  function onBroken(reason: string): void {
    const waiting = [...retries, ...lanes.drain()];
    retries.clear();
    const isMissing = fleet.decision()?.way === 'none';
    for (const job of waiting) {
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
      queuedJobs: lanes.waiting('interactive') + lanes.waiting('batch') + retries.size,
      completedJobs: totals.completed,
      failedJobs: totals.failed,
      canceledJobs: totals.canceled,
      totalConversions: totals.completed + totals.failed,
      retriedJobs: totals.retried,
      timeouts: totals.timeouts,
    }),
    async close() {
      closed = true;
      for (const job of [...retries, ...lanes.drain()]) cancel(job, 'The office was closed.', true);
      await fleet.close();
    },
  };
}
