import type { Contract } from '@millrace/api';
import { SchemaRefused } from '@millrace/store-postgres';
import type {
  EndedJob,
  Handler,
  HealthCheck,
  Host,
  MetricTable,
  Opened,
  Scope,
  SetGauge,
  Step,
  Topic,
  WorkloadBudget,
  WorkloadProblem,
} from '@millrace/workload-kit';
import type { Closing } from '../closing.ts';
import { StartError } from '../start-error.ts';
import type { Telemetry } from '../telemetry/types.ts';
import { runChore } from './chore.ts';
import type { ActiveWorkload } from './declare.ts';

/** The workloads of this process as one. */
export interface OpenedWorkloads {
  /** The services passed to `run`, by kind. */
  readonly services: ReadonlyMap<string, unknown>;
  readonly checks: readonly HealthCheck[];
  readonly gauges: readonly ((set: SetGauge<MetricTable>) => void)[];
  /** Tells the workload of the kind. */
  ended(job: EndedJob): void;
  /** The current usage of their budgets. */
  budgets(): Promise<readonly WorkloadBudget[]>;
  /** How their things appear in live events, by the topic. */
  readonly topics: ReadonlyMap<string, Topic>;
  /** The names of the routes that they answer. */
  readonly routes: ReadonlySet<string>;
  /** As the route is for one caller; undefined where no workload answers it. */
  handler(route: string, scope: Scope): Handler<Contract> | undefined;
  toProblem(thrown: unknown): WorkloadProblem | null;
  erase(subject: string): Promise<Readonly<Record<string, number>>>;
}

/** In a process without workloads. */
export const NO_WORKLOADS: OpenedWorkloads = together([]);

export async function openWorkloads(
  active: readonly ActiveWorkload[],
  host: Omit<Host, 'telemetry' | 'steps'> & { readonly telemetry: Telemetry },
  closing: Closing,
): Promise<OpenedWorkloads> {
  // Each records by the names of its own table, all of which are in the server's.
  const telemetry = host.telemetry as unknown as Host['telemetry'];
  const all: OpenedWorkload[] = [];
  // Asked when a pipeline runs, when all are open.
  const steps = (name: string): Step | undefined =>
    all.find(({ opened }) => opened.steps?.[name] !== undefined)?.opened.steps?.[name];
  for (const { workload, config, loaded, kinds } of active) {
    const opened = await workload
      .open({ ...host, telemetry, steps }, config, loaded)
      .catch((error: unknown) => {
        throw error instanceof SchemaRefused
          ? new StartError(error.message, { cause: error })
          : error;
      });
    closing.add(() => opened.close());
    for (const chore of opened.chores ?? []) {
      const stop = runChore(chore, host);
      closing.add(async () => stop());
    }
    const routes = new Set(Object.keys(workload.contract.routes));
    all.push({ opened, routes, kinds: kinds.map(({ kind }) => kind) });
  }
  return together(all);
}

interface OpenedWorkload {
  readonly opened: Opened;
  readonly routes: ReadonlySet<string>;
  readonly kinds: readonly string[];
}

function together(all: readonly OpenedWorkload[]): OpenedWorkloads {
  const listeners = new Map(
    all.flatMap(({ opened, kinds }) =>
      opened.ended === undefined ? [] : kinds.map((kind) => [kind, opened.ended] as const),
    ),
  );
  return {
    ended: (job) => listeners.get(job.kind)?.(job),
    services: new Map(
      all.flatMap(({ opened, kinds }) => kinds.map((kind) => [kind, opened.service] as const)),
    ),
    checks: all.flatMap(({ opened }) => opened.checks ?? []),
    gauges: all.flatMap(({ opened }) => opened.gauges ?? []),
    budgets: async () =>
      (
        await Promise.all(
          // A workload that fails to answer is left out.
          all.map(async ({ opened }) => (await opened.budgets?.().catch(() => [])) ?? []),
        )
      ).flat(),
    topics: new Map(all.flatMap(({ opened }) => Object.entries(opened.topics ?? {}))),
    routes: new Set(all.flatMap(({ routes }) => [...routes])),
    handler: (route, scope) =>
      all.find(({ routes }) => routes.has(route))?.opened.handlers(scope)[route],
    toProblem(thrown) {
      for (const { opened } of all) {
        const problem = opened.toProblem?.(thrown) ?? null;
        if (problem !== null) return problem;
      }
      return null;
    },
    async erase(subject) {
      const counts: Record<string, number> = {};
      for (const { opened } of all) {
        for (const [what, count] of Object.entries((await opened.erase?.(subject)) ?? {}))
          counts[what] = (counts[what] ?? 0) + count;
      }
      return counts;
    },
  };
}
