import { createHash } from 'node:crypto';
import { OfficeError } from './errors.ts';
import { type Fleet, type FleetParams, type Member, createFleet } from './fleet.ts';
import { type Handover, handOver } from './handover.ts';
import { type Lane, createLanes } from './lanes.ts';
import type { Looked } from './look.ts';
import { type PoisonList, refused, starved } from './poison.ts';
import type { Task } from './protocol.ts';
import type { EndReason } from './slot.ts';

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

export interface Request {
  readonly bytes: Uint8Array;
  readonly name?: string | undefined;
  /** What to do, given where the document is and where the result goes. */
  readonly task: (files: { input: string; output: string }) => Task;
  readonly lane: Lane;
  readonly signal?: AbortSignal | undefined;
  readonly correlationId?: string | undefined;
}

export interface Converted extends Pick<Looked, 'missing' | 'printsName'> {
  readonly bytes: Uint8Array;
  readonly timings: Timings;
}

export interface Timings {
  readonly queuedMs: number;
  readonly loadMs: number;
  readonly saveMs: number;
  readonly totalMs: number;
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

interface Job extends Request {
  readonly sha256: string;
  readonly submittedAt: number;
  deaths: number;
  settled: boolean;
  resolve(result: Converted): void;
  reject(error: OfficeError): void;
}

export type PoolParams = Omit<FleetParams, 'onIdle' | 'onBroken'> & {
  readonly timeoutMs: number;
  readonly poison: PoisonList;
};

/** A timed-out document that had a processor for this share of the time is to blame itself, and not the machine. */
const BUSY = 0.5;

/**
 * How long a document that nobody wants any more may still run. Most end sooner, and a killed process costs
 * half a second of start.
 */
const ABANDONED_MS = 1_000;

export function createPool(params: PoolParams): Pool {
  const { poison, log, onEvent, timeoutMs } = params;
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
    const sha256 = createHash('sha256').update(request.bytes).digest('hex');
    return new Promise((resolve, reject) => {
      const onAbort = (): void => cancel(job, 'The conversion was canceled.', false);
      const settle = (): boolean => {
        if (job.settled) return false;
        request.signal?.removeEventListener('abort', onAbort);
        return (job.settled = true);
      };
      const job: Job = {
        ...request,
        sha256,
        submittedAt: performance.now(),
        deaths: 0,
        settled: false,
        resolve: (result) => {
          if (!settle()) return;
          totals.completed += 1;
          const { lane, correlationId } = request;
          onEvent({ type: 'converted', lane, correlationId, timings: result.timings });
          resolve(result);
        },
        reject: (error) => {
          if (!settle()) return;
          if (error.code === 'canceled') totals.canceled += 1;
          else totals.failed += 1;
          const { lane, correlationId } = request;
          onEvent({ type: 'failed', lane, correlationId, code: error.code });
          reject(error);
        },
      };
      const refusal = whyRefused(job);
      if (refusal !== null) {
        job.reject(refusal);
        return;
      }
      request.signal?.addEventListener('abort', onAbort, { once: true });
      lanes.push(job.lane, job);
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
        settle = () => afterDeath(job, outcome);
      }
    } catch (error) {
      // The disk is full; or the process died before it saw the document, and took the folder with it.
      const message = `The document could not be handed over: ${String(error)}`;
      settle = member.process.alive()
        ? () => job.reject(new OfficeError('conversion_failed', message, true))
        : () => afterDeath(job, { reason: 'crash', complaint: message, worked: 0 });
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

  /** Ends the process of a canceled job, if it does not end by itself. */
  function giveUpOn(job: Job, member: Member): { stop(): void } {
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

  function afterDeath(
    job: Job,
    { reason, complaint, worked }: { reason: EndReason; complaint: string; worked: number },
  ): void {
    const { sha256, correlationId } = job;
    if (reason === 'canceled' || job.settled) return;
    if (reason === 'closed')
      return job.reject(new OfficeError('canceled', 'The office was closed.', true));
    job.deaths += 1;
    log.warn(
      { reason, sha256, correlationId, complaint },
      'A LibreOffice process died with a document',
    );
    const of = reason === 'timeout' || reason === 'memory' ? reason : 'crash';
    // The document had the processor and was not done: the same bytes would take as long again.
    const sure = reason === 'timeout' && worked >= BUSY;
    const isPoison = poison.died(sha256, of, { sure }) || job.deaths > 1;
    if (isPoison) onEvent({ type: 'poisoned', sha256 });
    if (reason === 'timeout') totals.timeouts += 1;
    if (isPoison) return job.reject(refused(of, timeoutMs));
    if (reason === 'timeout') return job.reject(starved(timeoutMs));
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

function timingsOf(
  { submittedAt }: Job,
  startedAt: number,
  { loadMs, saveMs }: { loadMs: number; saveMs: number },
): Timings {
  const totalMs = performance.now() - submittedAt;
  return { queuedMs: startedAt - submittedAt, loadMs, saveMs, totalMs };
}
