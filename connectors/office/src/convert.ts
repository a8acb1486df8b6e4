import { type Death, giveUpOn } from './death.ts';
import { OfficeError } from './errors.ts';
import { type Converted, type Job, timingsOf } from './job.ts';
import type { Member } from './processes/members.ts';
import { type Handover, handOver } from './processes/handover.ts';
import type { Account } from './sandbox/account.ts';

/** The result of a document that a process was given. */
export type Attempt =
  | { readonly type: 'converted'; readonly result: Converted }
  /** `suspect`: the process may have been left in disorder. */
  | { readonly type: 'failed'; readonly error: OfficeError; readonly suspect: boolean }
  | { readonly type: 'died'; readonly death: Death };

/** Gives a document to a process: its files there, the conversion, the result back, the files away. Never throws. */
export async function convertOn(
  member: Member,
  job: Job,
  params: {
    /** The name of the document's folder, unique in the process. */
    place: string;
    timeoutMs: number;
    memoryMb: number;
    account: Account | null;
    /** The files of the document could not be removed. */
    onLeft: (error: unknown) => void;
  },
): Promise<Attempt> {
  const { place, timeoutMs, memoryMb, account, onLeft } = params;
  const { process } = member;
  const { bytes, name } = job;
  const startedAt = performance.now();
  const roomy = member.rssMb <= memoryMb / 2;
  const abandon = giveUpOn(job, member);
  let files: Handover | undefined;
  try {
    files = await handOver({ folder: process.folder, place, name, bytes, account });
    const outcome = await process.run(job.task(files), timeoutMs);
    if (outcome.type === 'done') {
      const { missing, printsName } = outcome;
      const result = { bytes: await files.take(), missing, printsName };
      return {
        type: 'converted',
        result: { ...result, timings: timingsOf(job, startedAt, outcome) },
      };
    }
    if (outcome.type === 'failed') {
      const message = `LibreOffice could not convert it: ${outcome.reason}`;
      const suspect = outcome.code !== 'unsupported_option';
      return { type: 'failed', error: new OfficeError(outcome.code, message), suspect };
    }
    return { type: 'died', death: { ...outcome, roomy } };
  } catch (error) {
    // The disk is full; or the process died before it saw the document, and took the folder with it.
    const message = `The document could not be handed over: ${String(error)}`;
    if (!process.alive())
      return { type: 'died', death: { reason: 'crash', complaint: message, worked: 0, roomy } };
    const unwritten = new OfficeError('conversion_failed', message, true);
    return { type: 'failed', error: unwritten, suspect: false };
  } finally {
    abandon.stop();
    // A dead process takes its folder with it.
    if (process.alive())
      void files?.remove().catch((error: unknown) => {
        if (process.alive()) onLeft(error);
      });
  }
}
