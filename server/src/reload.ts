import { join } from 'node:path';
import { watchFolder } from '@millrace/workload-kit';
import type { Config } from './config/config.ts';
import { createDoor } from './http/door.ts';
import { type LoadedJobs, loadJobs } from './jobs/folder.ts';
import { createLasting } from './lasting.ts';
import type { Logger } from './log/log.ts';
import { type Millrace, startMillrace } from './millrace.ts';
import { StartError } from './start-error.ts';

/**
 * The process in development: when a job file changes, everything is started again with the new files, in the same process.
 * What people and programs outside have hold of stays (`lasting.ts`), and requests wait meanwhile. Running jobs end with the code that they began with, as at any stop. Kinds are in the registry,
 * the worker, the store's rules and the metrics: exchanging them in place would leave each of those a mixture for a while.
 *
 * Files that cannot be loaded change nothing: what ran before goes on, and the error is said.
 */
export async function startReloading(
  config: Config,
  log: Logger,
  say: (sentence: string) => void,
): Promise<Millrace> {
  let hasChanged = false;
  let onChange = () => {};
  // Before the files are loaded, so that one saved while the process starts is not missed.
  const unwatch = await watchFolder(config.jobsFolder, () => {
    hasChanged = true;
    onChange();
  });
  const lasting = createLasting(config, log, createDoor());
  const first = await startMillrace(config, log, { lasting }).catch(async (error: unknown) => {
    unwatch();
    await lasting.close();
    throw error;
  });
  let current = first;
  let version = 0;
  let areBroken = false;
  let reloading: Promise<void> | null = null;
  let stopping = false;

  async function reload(): Promise<void> {
    let jobs: LoadedJobs;
    try {
      jobs = await loadJobs(config.jobsFolder, config.jobsFolderNamed, ++version);
    } catch (error) {
      areBroken = true;
      return say(`${wordsOf(error)}\nStill running the previous job files.`);
    }
    const running = current.inFlight();
    const once =
      running === 0 ? '' : ` once ${running} running job${running === 1 ? ' has' : 's have'} ended`;
    say(`Job files changed: reloading${once}.`);
    const { jobs: before } = current;
    await current.stop();
    try {
      current = await startMillrace(config, log, { jobs, lasting });
      if (areBroken) say('All job files load again.');
      areBroken = false;
      say(`Started again, with ${kindsOf(current)}.`);
      for (const file of jobs.idle)
        say(`${join(config.jobsFolder, file)} exports no job kind, rule or schedule.`);
    } catch (error) {
      areBroken = true;
      current = await startMillrace(config, log, { jobs: before, lasting });
      say(`${wordsOf(error)}\nStill running the previous job files.`);
    }
  }

  /** One after the other. What changes meanwhile is looked at once more. */
  async function reloadWhileChanging(): Promise<void> {
    while (hasChanged && !stopping) {
      hasChanged = false;
      await reload();
    }
  }

  onChange = () => {
    reloading ??= reloadWhileChanging()
      .catch((err: unknown) => log.error({ err }, 'starting again with the job files failed'))
      .finally(() => (reloading = null));
  };
  if (hasChanged) onChange();

  return {
    ...first,
    inFlight: () => current.inFlight(),
    async stop() {
      stopping = true;
      unwatch();
      await reloading;
      await current.stop();
      await lasting.close();
    },
  };
}

function kindsOf({ jobs }: Millrace): string {
  return jobs.kinds.map(({ kind }) => kind).join(', ') || 'no kinds of your own';
}

function wordsOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
