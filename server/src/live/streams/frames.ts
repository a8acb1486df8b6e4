import type { LiveEvent } from '@millrace/api';
import type { JobSummary } from '@millrace/engine';
import type { Thing } from '@millrace/workload-kit';
import { summaryJson } from '../../routes/json/job.ts';

/** Bytes as they go out, made once for all streams that get them. */
export type Frame = Buffer;

export function eventFrame(event: LiveEvent | Thing['event']): Frame {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
}

export function jobFrame(job: JobSummary): Frame {
  // One frame for all who read, whatever their role.
  return eventFrame({ type: 'job', job: summaryJson(job, 'host') });
}

export function commentFrame(text: string): Frame {
  return Buffer.from(`: ${text}\n\n`);
}

/** Read the list again: more has changed than is sent one by one. */
export const MORE = eventFrame({ type: 'more' });

/** Few large pieces instead of many small ones; a reader takes them one by one. */
const PIECE_BYTES = 64 * 1_024;

export function joined(frames: readonly Frame[]): Frame[] {
  const pieces: Frame[] = [];
  let piece: Frame[] = [];
  let bytes = 0;
  for (const frame of frames) {
    piece.push(frame);
    bytes += frame.length;
    if (bytes < PIECE_BYTES) continue;
    pieces.push(Buffer.concat(piece));
    piece = [];
    bytes = 0;
  }
  if (piece.length > 0) pieces.push(Buffer.concat(piece));
  return pieces;
}
