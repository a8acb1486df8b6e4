import type { PipelineRun } from '@millrace/pipelines/contract';
import type { Context } from '../context.ts';
import type { Free } from '../line/command.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { byOption, parametersOf } from '../parameters/given.ts';
import { cleanLines } from '../render/width.ts';
import { exitCodeFor, hasEnded } from '../jobs/ended.ts';
import { adviceLines, endSentence, helpOf } from './render/run.ts';
import { stepLog } from './render/log.ts';
import { runView } from './render/view.ts';
import { BY_STATE } from '../runs/follow.ts';
import { watchRun } from '../runs/watch.ts';

export interface Asked {
  readonly name: string;
  readonly key?: string;
  readonly free: Free;
  /** Names of the command's own options. */
  readonly options: readonly string[];
}

/** Sent whole also after Ctrl-C, so that its id can be said. */
export async function startPipeline(
  { client, lastWord }: Context,
  { name, key, free, options }: Asked,
): Promise<PipelineRun> {
  const pipeline = await client.getPipeline({ params: { name } });
  const parameters = parametersOf({ ...pipeline, what: 'pipeline' }, free, options);
  const body = { parameters, ...(key !== undefined && { key }) };
  try {
    return await lastWord.startPipeline({ params: { name }, body });
  } catch (thrown) {
    throw byOption(thrown, 'invalid_pipeline_parameters');
  }
}

export function sayId({ out, json, document }: Context, run: PipelineRun): ExitCode {
  if (json) document(run);
  else out.line(run.id);
  return EXIT.ok;
}

/** Follows a run to its end and says what came of it. */
export async function followPipeline(context: Context, run: PipelineRun): Promise<ExitCode> {
  const ended = await untilOver(context, run);
  const { out, err, json, quiet, document, world } = context;
  if (json) document(ended);
  else if (quiet) out.line(ended.id);
  else if (ended.state === 'SUCCEEDED') out.line(endSentence(ended, world.now()));
  if (json || ended.state === 'SUCCEEDED') return exitCodeFor([ended.state]);
  err.line(err.paint('red', cleanLines(endSentence(ended, world.now()))));
  if (!quiet) reportNextSteps(context, ended);
  return exitCodeFor([ended.state]);
}

function reportNextSteps({ err, note }: Context, run: PipelineRun): void {
  const codes = run.steps.flatMap(({ state, error }) =>
    state === 'failed' && error !== null ? [error.code] : [],
  );
  const helps = [...new Set(codes)].flatMap((code) => helpOf(code) ?? []);
  for (const help of helps) note(help);
  for (const line of adviceLines(run, err).filter((each) => each !== '')) note(line.trim());
}

/** Ctrl-C stops watching: steps that have begun letters or mails are not stopped half way by somebody who goes home. */
async function untilOver(context: Context, started: PipelineRun): Promise<PipelineRun> {
  if (hasEnded(started.state)) return started;
  const { world, note } = context;
  const { id } = started;
  try {
    world.interrupted.throwIfAborted();
    return await watchPipeline(context, started);
  } catch (thrown) {
    note(
      `${id} continues in the background. "millrace pipeline watch ${id}" shows its progress, "millrace pipeline cancel ${id}" stops it.`,
    );
    throw thrown;
  }
}

/** A line for each step, which stays on the screen. */
function watchPipeline(context: Context, first: PipelineRun): Promise<PipelineRun> {
  const { client, err, world } = context;
  const params = { id: first.id };
  return watchRun<PipelineRun>(context, first, {
    ...BY_STATE,
    poll: () => client.getPipelineRun({ params }),
    events: (options) => client.pipelineRunEvents({ params }, options),
    lines: (run, rows) =>
      runView(run, { now: world.now(), columns: err.columns, rows, paint: err.paint }),
    log: ({ id, steps }) =>
      steps.flatMap((step) => {
        const line = stepLog(id, step);
        return line === null ? [] : [[step.name, line] as const];
      }),
    stays: true,
  });
}
