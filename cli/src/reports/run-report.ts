import { ApiError, type Client } from '@millrace/api';
import type { Compression, Format, ReportRun } from '@millrace/reports/contract';
import type { Context } from '../context.ts';
import { hasEnded } from '../jobs/ended.ts';
import type { Free } from '../line/command.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { UsageError } from '../line/usage-error.ts';
import { byOption, parametersOf } from '../parameters/given.ts';
import { cleanLines } from '../render/width.ts';
import { choiceOf } from './ending.ts';
import { endSentence, logLine, runLine, runSummary } from './render/run.ts';
import { type Destination, destinationOf, saveFile } from './save-file.ts';
import { BY_STATE } from '../runs/follow.ts';
import { watchRun } from '../runs/watch.ts';

export interface RunWishes {
  readonly output?: string;
  readonly force?: true;
  readonly format?: Format;
  readonly compression?: Compression | 'none';
  readonly key?: string;
  readonly priority?: number;
  readonly 'no-wait'?: true;
}

/** A report from its parameters to the file in this folder. */
export async function runReport(
  context: Context,
  asked: {
    readonly name: string;
    readonly given: RunWishes;
    readonly free: Free;
    /** Names of the command's own options. */
    readonly options: readonly string[];
  },
): Promise<ExitCode> {
  const { name, given, free } = asked;
  if (given['no-wait'] && given.output !== undefined)
    throw new UsageError('With --no-wait nothing is downloaded: leave out -o.');
  const choice = choiceOf(given);
  const destination = await destinationOf(context, given);
  const report = await context.client.getReport({ params: { name } });
  const parameters = parametersOf({ ...report, what: 'report' }, free, asked.options);
  const { key, priority } = given;
  const started = await start(context, name, {
    parameters,
    ...choice,
    ...(key !== undefined && { key }),
    ...(priority !== undefined && { priority }),
  });
  return giveFile(context, started, given['no-wait'] ? null : destination);
}

type Body = NonNullable<Parameters<Client['startReport']>[0]['body']>;

/** Sent whole also after Ctrl-C, so that there is a run to cancel. What is wrong with a value is reported with its option. */
async function start({ lastWord }: Context, name: string, body: Body): Promise<ReportRun> {
  try {
    return await lastWord.startReport({ params: { name }, body });
  } catch (thrown) {
    throw byOption(thrown, 'invalid_parameters');
  }
}

/** Waits for the end of a run and saves its file; `destination` null: only says which run it is. */
export async function giveFile(
  context: Context,
  run: ReportRun,
  destination: Destination | null,
): Promise<ExitCode> {
  const { out, json, document, note, world } = context;
  if (destination === null) {
    if (json) document(run);
    else out.line(run.id);
    return EXIT.ok;
  }
  const ended = hasEnded(run.state) ? run : await untilOver(context, run);
  if (ended.state !== 'SUCCEEDED') return reportEnd(context, ended);
  const path = await saved(context, ended, destination);
  if (json) document({ ...ended, path });
  else if (path !== '-') out.line(path);
  note(runSummary(ended, world.now()));
  if (ended.result?.note != null) note(ended.result.note);
  return EXIT.ok;
}

/** After a failed download, says how to download again instead of running again. */
async function saved(context: Context, run: ReportRun, to: Destination): Promise<string> {
  try {
    return await saveFile(context, run, to);
  } catch (thrown) {
    const until = run.result?.expiresAt ?? 'somebody removes it';
    context.note(
      `The file of ${run.id} is kept until ${until}: millrace report download ${run.id}`,
    );
    throw thrown;
  }
}

/** Only watches: Ctrl-C stops that, not the run. */
export async function showReport(context: Context, run: ReportRun): Promise<ExitCode> {
  const { out, json, quiet, document, note, world } = context;
  const ended = await watchReport(context, run);
  if (ended.state !== 'SUCCEEDED') return reportEnd(context, ended);
  if (json) document(ended);
  else if (quiet) out.line(ended.state);
  else {
    note(runSummary(ended, world.now()));
    note(`Its file: millrace report download ${ended.id}`);
  }
  return EXIT.ok;
}

function watchReport(context: Context, first: ReportRun): Promise<ReportRun> {
  const { client, err, world } = context;
  const params = { id: first.id };
  return watchRun<ReportRun>(context, first, {
    ...BY_STATE,
    poll: () => client.getReportRun({ params }),
    events: (options) => client.reportRunEvents({ params }, options),
    lines: (run) => [runLine(run, world.now(), err.paint)],
    log: (run) => [['run', logLine(run)]],
  });
}

/** Ctrl-C cancels: whoever stops a report wants it stopped. A server that is lost status of does not cancel it. */
async function untilOver(context: Context, started: ReportRun): Promise<ReportRun> {
  const { world, note, lastWord } = context;
  const { id } = started;
  try {
    world.interrupted.throwIfAborted();
    return await watchReport(context, started);
  } catch (thrown) {
    if (!world.interrupted.aborted) {
      note(`${id} continues in the background: "millrace report watch ${id}" shows its progress.`);
      throw thrown;
    }
    note(`Cancelling ${id}. Ctrl-C again leaves it running.`);
    const canceled = await cancel(lastWord, id);
    note(
      canceled
        ? `${id} is cancelled. "millrace report retry ${id}" continues it.`
        : `${id} had already ended.`,
    );
    throw thrown;
  }
}

async function cancel(client: Context['lastWord'], id: string): Promise<boolean> {
  try {
    await client.cancelReportRun({ params: { id } });
    return true;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.problem.code === 'report_run_finished') return false;
    throw thrown;
  }
}

function reportEnd({ err, json, document }: Context, run: ReportRun): ExitCode {
  if (json) document(run);
  else err.line(err.paint('red', cleanLines(endSentence(run))));
  return EXIT.failed;
}
