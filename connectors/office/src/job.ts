import { createHash } from 'node:crypto';
import type { OfficeError } from './errors.ts';
import type { Timings } from './events.ts';
import type { Lane } from './lanes.ts';
import type { Looked } from './program/look.ts';
import type { Task } from './program/protocol.ts';

export interface Request {
  readonly bytes: Uint8Array;
  readonly name?: string | undefined;
  /** The work, given where the document is and where the result goes. */
  readonly task: (files: { input: string; output: string }) => Task;
  readonly lane: Lane;
  readonly signal?: AbortSignal | undefined;
  readonly correlationId?: string | undefined;
  readonly onTurn?: OnTurn | undefined;
}

/** Hears when the document waits for a process and when it has one; a document whose process died waits once more. */
export type OnTurn = (turn: 'waiting' | 'running') => void;

export interface Converted extends Pick<Looked, 'missing' | 'printsName'> {
  readonly bytes: Uint8Array;
  readonly timings: Timings;
}

/** A document on its way. It ends once: what comes after its end changes nothing. */
export interface Job extends Request {
  readonly sha256: string;
  readonly submittedAt: number;
  deaths: number;
  settled: boolean;
  resolve(result: Converted): void;
  reject(error: OfficeError): void;
}

export function createJob(
  request: Request,
  on: {
    /** Nobody waits for it any more. */
    aborted(): void;
    converted(result: Converted): void;
    failed(error: OfficeError): void;
  },
): Job {
  const { signal } = request;
  const settle = (): boolean => {
    if (job.settled) return false;
    signal?.removeEventListener('abort', on.aborted);
    return (job.settled = true);
  };
  const job: Job = {
    ...request,
    sha256: createHash('sha256').update(request.bytes).digest('hex'),
    submittedAt: performance.now(),
    deaths: 0,
    settled: false,
    resolve: (result) => void (settle() && on.converted(result)),
    reject: (error) => void (settle() && on.failed(error)),
  };
  signal?.addEventListener('abort', on.aborted, { once: true });
  return job;
}

export function timingsOf(
  { submittedAt }: Job,
  startedAt: number,
  { loadMs, saveMs }: { loadMs: number; saveMs: number },
): Timings {
  const totalMs = performance.now() - submittedAt;
  return { queuedMs: startedAt - submittedAt, loadMs, saveMs, totalMs };
}
