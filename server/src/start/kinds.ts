import {
  type Dependants,
  type JobKind,
  type Registry,
  type Rule,
  type Schedule,
  createRegistry,
  dependantsOf,
} from '@millrace/engine';
import { workloads } from '@millrace/workloads';
import type { SalesforceConfig } from '../config/config.ts';
import { bulkKind } from '../bulk/kind.ts';
import { type LoadedJobs, loadJobs } from '../jobs/folder.ts';
import { inWords, inWordsLater } from '../start-error.ts';
import { type Places, placesOf } from '../stores/places.ts';
import type { Deliver } from '@millrace/workload-kit';
import { createDeliver } from '../webhook/deliver.ts';
import { webhookKind } from '../webhook/kind.ts';
import { type DeclaredWorkloads, declareWorkloads } from '../workloads/declare.ts';
import type { Process } from './process.ts';

/** Everything that can run here, from people's job files and from the workloads, before any store is open. */
export interface Kinds {
  readonly jobs: LoadedJobs;
  readonly declared: DeclaredWorkloads;
  readonly registry: Registry;
  readonly dependants: Dependants;
  readonly rules: readonly Rule[];
  readonly deliver: Deliver;
  /** As they are now. */
  readonly schedules: () => readonly Schedule[];
  /** Which store has which. */
  readonly places: Places;
  /** The orgs whose records are a queue, the simulated one among them. */
  readonly salesforce: SalesforceConfig;
  readonly ofOrgs: readonly JobKind[];
  /** Where people look into the simulated org, if there is one. */
  readonly sandboxOrg: string | null;
}

/** `loaded`: the jobs of the folder, unless given. */
export async function declareKinds(
  { config, telemetry, lasting }: Process,
  loaded: LoadedJobs | undefined,
): Promise<Kinds> {
  const jobs = loaded ?? (await loadJobs(config.jobsFolder, config.jobsFolderNamed));
  const { salesforce, page: sandboxOrg } = await lasting.org();
  const { orgs, retries } = salesforce;
  const declared = await inWordsLater(() =>
    declareWorkloads(workloads, config.workloads, {
      orgs: orgs.map(({ name }) => ({ name, retries })),
    }),
  );
  const deliver = createDeliver({ ...config.webhook, measured: telemetry.call });
  const main = [...jobs.kinds, ...declared.kinds, webhookKind(deliver), bulkKind()];
  const ofOrgs = orgs.flatMap(({ name }) => declared.kindsOf(name));
  const registry = inWords(() => createRegistry([...main, ...ofOrgs]));
  jobs.check(registry);
  const rules = [...jobs.rules, ...declared.rules];
  const { books } = declared;
  const dependants = inWords(() => dependantsOf(registry, rules, books));
  inWords(() => config.pools.forEach(({ kinds = [] }) => kinds.forEach(registry.require)));
  const schedules = () => [...jobs.schedules, ...declared.schedules()];
  const places = placesOf({
    redis: config.redis,
    kinds: main,
    wanting: declared.wantRedis,
    rules: [...rules.map((rule) => ({ ...rule, children: [rule.child] })), ...books],
    schedules: schedules(),
  });
  return {
    jobs,
    declared,
    registry,
    dependants,
    rules,
    deliver,
    schedules,
    places,
    salesforce,
    ofOrgs,
    sandboxOrg,
  };
}
