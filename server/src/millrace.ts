import { type Closing, createClosing } from './closing.ts';
import type { Config } from './config/config.ts';
import type { LoadedJobs } from './jobs/folder.ts';
import { type Lasting, createLasting } from './lasting.ts';
import type { Logger } from './log/log.ts';
import { requireFreePort } from './port.ts';
import { logApexLevel } from './salesforce/orgs.ts';
import type { Sandbox } from './sandbox.ts';
import { openFront } from './start/front.ts';
import { declareKinds } from './start/kinds.ts';
import { openProcess } from './start/process.ts';
import { openQueues } from './start/queues.ts';
import { openWork } from './start/work.ts';

/** A started process. */
export interface Millrace {
  readonly address: string;
  /** Where metrics are served without a token, if anywhere. */
  readonly metricsAddress: string | null;
  readonly jobs: LoadedJobs;
  /** Null where there is a real issuer, or nobody is asked. */
  readonly sandbox: Sandbox | null;
  /** Where people look into the simulated org, if there is one. */
  readonly sandboxOrg: string | null;
  readonly inFlight: () => number;
  /** Readiness falls, running jobs end or are handed back, then everything is closed. */
  stop(): Promise<void>;
}

/** Unless given: the jobs of the folder, and what stays beyond a stop is closed with it. */
export interface Given {
  readonly jobs?: LoadedJobs;
  readonly lasting?: Lasting;
}

/** Everything that makes up the process, from the jobs folder to the socket. */
export async function startMillrace(
  config: Config,
  log: Logger,
  { jobs, lasting: given }: Given = {},
): Promise<Millrace> {
  const closing = createClosing();
  const lasting = given ?? createLasting(config, log);
  if (given === undefined) closing.add(() => lasting.close());
  try {
    return await serve(config, log, { closing, lasting, jobs });
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/** Top to bottom: what runs (kinds), where it is kept (queues), what does the work, who may ask and what answers (front). */
async function serve(
  config: Config,
  log: Logger,
  {
    closing,
    lasting,
    jobs,
  }: {
    readonly closing: Closing;
    readonly lasting: Lasting;
    readonly jobs: LoadedJobs | undefined;
  },
): Promise<Millrace> {
  if (lasting.door?.isOpen() !== true) await requireFreePort(config);
  const process = await openProcess(config, log, { closing, lasting });
  const kinds = await declareKinds(process, jobs);
  const queues = await openQueues(process, kinds);
  const work = await openWork(process, kinds, queues);
  const front = await openFront(process, kinds, queues, work);
  const { worker } = work;
  worker?.start();
  for (const org of queues.orgs) logApexLevel(org, log);
  const { address, metricsAddress, sandbox } = front;
  return {
    address,
    metricsAddress,
    jobs: kinds.jobs,
    sandbox,
    sandboxOrg: kinds.sandboxOrg,
    inFlight: () => worker?.status().inFlight ?? 0,
    async stop() {
      front.turnAway();
      await worker?.stop();
      await closing.close();
    },
  };
}
