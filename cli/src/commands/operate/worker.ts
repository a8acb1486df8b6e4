import { ApiError } from '@millrace/api';
import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { count, counted } from '../../render/number.ts';
import { relative } from '../../render/time.ts';
import { UsageError } from '../../line/usage-error.ts';

const STOPPED = 'This replica takes no new jobs and finishes its running ones.';
const STARTED = 'This replica takes jobs again.';

export const worker = defineCommand({
  name: 'worker',
  summary: 'Shows, stops or starts the answering replica.',
  usage: ['status', 'stop', 'start'],
  words: { least: 1, most: 1 },
  options: {},
  examples: ['millrace worker status', 'millrace worker stop --url http://10.0.0.7:3000'],
  async run(context, { words: [verb = ''] }) {
    const { client } = context;
    switch (verb) {
      case 'status':
        return status(context);
      case 'stop':
        return change(context, client.stopWorker, STOPPED);
      case 'start':
        return change(context, client.startWorker, STARTED);
      default:
        throw new UsageError(`Unknown: worker ${verb}. Use status, stop or start.`);
    }
  },
});

async function status({ client, json, quiet, document, out, world }: Context): Promise<ExitCode> {
  const found = await client.workerStatus();
  const { hasWorker, isRunning, currentQueueDepth, currentScheduled, lastPollTime } = found;
  if (json) {
    document(found);
  } else if (quiet) {
    out.line(hasWorker ? (isRunning ? 'running' : 'stopped') : 'none');
  } else {
    const polled =
      lastPollTime === null ? 'never looked' : `last looked ${relative(lastPollTime, world.now())}`;
    const state = isRunning ? 'takes jobs' : 'takes no jobs';
    const does = hasWorker ? `${state}; ${polled}` : 'serves only the API';
    const later = currentScheduled === 0 ? '' : `, ${count(currentScheduled)} scheduled`;
    out.line(`This replica ${does}. ${counted(currentQueueDepth, 'job')} due${later}.`);
  }
  return EXIT.ok;
}

/** A conflict (nothing to change) is not printed in red; the exit code still says that nothing was done. */
async function change(
  { json, quiet, document, out, err }: Context,
  call: () => Promise<object>,
  done: string,
): Promise<ExitCode> {
  try {
    const answer = await call();
    if (json) document(answer);
    else if (!quiet) out.line(done);
    return EXIT.ok;
  } catch (thrown) {
    if (json || !(thrown instanceof ApiError) || thrown.problem.code !== 'conflict') throw thrown;
    err.line(thrown.problem.detail);
    return EXIT.refused;
  }
}
