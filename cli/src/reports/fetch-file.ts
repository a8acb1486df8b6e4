import { createHash } from 'node:crypto';
import { ApiError, problemOf } from '@millrace/api';
import type { ReportRun } from '@millrace/reports/contract';
import type { Context } from '../context.ts';
import { isTransient } from '../failure.ts';

/** Times in a row that nothing came. */
const TRIES = 5;
const FIRST_PAUSE_MS = 500;

export interface Fetching {
  /** The number of bytes that are already downloaded. */
  readonly offset: number;
  /** Over what is there already. */
  readonly hash: ReturnType<typeof createHash>;
  onBytes(done: number): void;
}

/**
 * The file of a run from an offset on. A line that breaks is opened again where it broke; at the end the bytes are held against
 * the SHA-256 of the run, so that nothing that was put together wrongly is ever kept.
 */
export async function* fileBytes(
  { client, world }: Pick<Context, 'client' | 'world'>,
  run: ReportRun,
  { offset, hash, onBytes }: Fetching,
): AsyncGenerator<Uint8Array> {
  const { bytes: total = 0, sha256 = '' } = run.result ?? {};
  let done = offset;
  let failures = 0;
  while (done < total) {
    try {
      for await (const chunk of await opened(client, run, done)) {
        hash.update(chunk);
        done += chunk.length;
        failures = 0;
        yield chunk;
        onBytes(done);
      }
      // Ended early without a word: the rest is asked for like after a break.
      if (done < total) failures += 1;
    } catch (thrown) {
      failures += 1;
      if (isOther(thrown) || !isTransient(thrown) || failures >= TRIES) throw thrown;
    }
    if (failures >= TRIES) throw otherFile(run.id, `it ended after ${done} of ${total} bytes`);
    if (failures > 0) await world.wait(FIRST_PAUSE_MS * 2 ** (failures - 1));
  }
  if (hash.digest('hex') !== sha256) throw otherFile(run.id, 'its SHA-256 differs');
}

async function opened(
  client: Context['client'],
  { id, result }: ReportRun,
  offset: number,
): Promise<AsyncIterable<Uint8Array>> {
  const headers = offset === 0 ? {} : { range: `bytes=${offset}-` };
  const response = await client.downloadReportFile({ params: { id } }, { headers });
  const etag = response.headers.get('etag');
  if (etag !== null && result !== null && etag !== `"${result.sha256}"`) {
    await response.body?.cancel();
    throw otherFile(id, 'the server has another one');
  }
  // A server that knows no ranges begins again.
  if (offset > 0 && response.status !== 206) {
    await response.body?.cancel();
    throw otherFile(id, 'the server gives it only from its beginning');
  }
  return (response.body ?? []) as AsyncIterable<Uint8Array>;
}

/** Asking again would put two files together. */
function isOther(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.problem.code === 'report_file_changed';
}

function otherFile(id: string, why: string): ApiError {
  return new ApiError(
    problemOf(
      'report_file_changed',
      `The download is not the file of ${id}: ${why}. It was discarded; try again with "millrace report download ${id}".`,
      '',
    ),
  );
}
