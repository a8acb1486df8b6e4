import { createHash } from 'node:crypto';
import { type FileHandle, constants, link, open, rename, rm } from 'node:fs/promises';
import { ApiError } from '@millrace/api';
import type { ReportRun } from '@millrace/reports/contract';
import type { Context } from '../context.ts';
import { UsageError } from '../line/usage-error.ts';
import { bar, fractionOf, percent } from '../render/bar.ts';
import { createLive } from '../render/live.ts';
import { size } from '../render/number.ts';
import { OUTPUT_OPTIONS, type Output, fileNameOf, openOutput } from '../terminal/output.ts';
import { fileBytes } from './fetch-file.ts';

export { OUTPUT_OPTIONS };

/** Where the file goes; null: under its own name, in the folder where the command was typed. */
export interface Destination {
  readonly output: Output | null;
  readonly force: true | undefined;
}

/** Checked before the report runs: what can only fail afterwards would have cost the time. */
export async function destinationOf(
  context: Context,
  { output, force }: { readonly output?: string; readonly force?: true },
): Promise<Destination> {
  return {
    output: output === undefined ? null : await openOutput(context, output, force),
    force,
  };
}

/**
 * Fetches the file of a run. What has come is kept beside it, as `FILE.ID.part`: whoever asks again goes on there. Gives the path.
 */
export async function saveFile(
  context: Context,
  run: ReportRun,
  { output: given, force }: Destination,
): Promise<string> {
  const output = given ?? (await underItsName(context, run, force));
  const progress = progressOf(context, run);
  try {
    if (output.isStream) {
      const hash = createHash('sha256');
      await output.write(fileBytes(context, run, { offset: 0, hash, onBytes: progress.show }));
    } else await intoPart(context, run, output.path, { force, onBytes: progress.show });
  } finally {
    progress.end();
  }
  return output.path;
}

function underItsName(context: Context, run: ReportRun, force: true | undefined): Promise<Output> {
  const name = run.result?.fileName ?? `${run.report}.${run.format}`;
  const [, stem = name, ending = run.format] =
    /^(.*?)\.([a-z]+(?:\.(?:gz|zst))?)$/i.exec(name) ?? [];
  return openOutput(context, fileNameOf(stem, ending), force);
}

async function intoPart(
  context: Context,
  run: ReportRun,
  path: string,
  { force, onBytes }: { readonly force: true | undefined; readonly onBytes: (n: number) => void },
): Promise<void> {
  const part = `${path}.${run.id}.part`;
  const handle = await open(part, constants.O_RDWR | constants.O_CREAT);
  try {
    const { offset, hash } = await alreadyIn(handle, run.result?.bytes ?? 0);
    let at = offset;
    for await (const chunk of fileBytes(context, run, { offset, hash, onBytes })) {
      context.world.interrupted.throwIfAborted();
      // Each at its place: of two commands that fetch the same, neither writes behind what the other has written.
      for (let done = 0; done < chunk.length;)
        done += (await handle.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
      at += chunk.length;
    }
  } catch (thrown) {
    await handle.close();
    // What does not add up is worth nothing; what was only cut off is.
    if (thrown instanceof ApiError && thrown.problem.code === 'report_file_changed')
      await rm(part, { force: true });
    throw noRoom(thrown, path);
  }
  await handle.close();
  await moved(part, path, force);
}

/** The partial download of an earlier command, if it can be resumed. */
async function alreadyIn(
  handle: FileHandle,
  total: number,
): Promise<{ readonly offset: number; readonly hash: ReturnType<typeof createHash> }> {
  const { size: there } = await handle.stat();
  if (there > total) await handle.truncate(0);
  const offset = there > total ? 0 : there;
  const hash = createHash('sha256');
  if (offset > 0)
    for await (const chunk of handle.createReadStream({
      start: 0,
      end: offset - 1,
      autoClose: false,
    }))
      hash.update(chunk as Uint8Array);
  return { offset, hash };
}

/** Never over a file that has come meanwhile, unless that was asked for. */
async function moved(part: string, path: string, force: true | undefined): Promise<void> {
  try {
    if (force === true) return await rename(part, path);
    await link(part, path);
  } catch (thrown) {
    if (!(thrown instanceof Error) || !('code' in thrown)) throw thrown;
    if (thrown.code === 'ENOENT')
      throw new UsageError(
        `Another command was downloading the same file, and has saved it as "${path}".`,
      );
    if (force === true) throw thrown;
    if (thrown.code === 'EEXIST')
      throw new UsageError(
        `The file "${path}" now exists. Add --force to replace it, or choose another with -o; the download is in "${part}".`,
      );
    // Some file systems know no links.
    return rename(part, path);
  }
  await rm(part, { force: true });
}

function noRoom(thrown: unknown, path: string): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)
    ? new UsageError(`The disk is full: "${path}".`)
    : thrown;
}

const BAR_COLUMNS = 24;

function progressOf({ err, json, quiet }: Context, { id, result }: ReportRun) {
  const total = result?.bytes ?? 0;
  const live = err.isLive && !json && !quiet ? createLive(err) : null;
  return {
    show(done: number): void {
      const fraction = fractionOf(done, total);
      live?.draw([
        `${id}  ${bar(fraction, BAR_COLUMNS, err.paint)} ${percent(fraction).padStart(5)}  ${size(done)} of ${size(total)}`,
      ]);
    },
    end: (): void => live?.end(),
  };
}
