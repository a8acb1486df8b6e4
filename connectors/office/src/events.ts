import type { OfficeErrorCode } from './errors.ts';
import type { Lane } from './lanes.ts';
import type { EndReason } from './processes/slot.ts';

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Timings {
  readonly queuedMs: number;
  readonly loadMs: number;
  readonly saveMs: number;
  readonly totalMs: number;
}

export type OfficeEvent =
  | {
      type: 'process_started';
      pid: number;
      startMs: number;
      way: 'kit' | 'soffice';
      version: string;
    }
  | { type: 'process_ended'; pid: number; reason: EndReason; documents: number }
  | { type: 'converted'; lane: Lane; correlationId: string | undefined; timings: Timings }
  | { type: 'failed'; lane: Lane; correlationId: string | undefined; code: OfficeErrorCode }
  | { type: 'poisoned'; sha256: string }
  /** Files of a document or a process could not be removed. */
  | { type: 'files_left' };
