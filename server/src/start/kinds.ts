import {
  type Dependants,
  type JobKind,
  type Registry,
  type Schedule,
  createRegistry,
  dependantsOf,
} from '@millrace/engine';
import { workloads } from '@millrace/workloads';
import type { SalesforceConfig } from '../config/config.ts';
import { type LoadedJobs, loadJobs } from '../jobs/folder.ts';
import { withSandboxOrg } from '../sandbox.ts';
import { inWords } from '../start-error.ts';
import { type Places, placesOf } from '../stores/places.ts';
import { webhookKind } from '../webhook/kind.ts';
import { type DeclaredWorkloads, declareWorkloads } from '../workloads/declare.ts';
import type { Process } from './process.ts';

/** Everything that can run here, from people's job files and from the workloads, before any store is open. */
export interface Kinds {
  readonly jobs: LoadedJobs;
  readonly declared: DeclaredWorkloads;
  readonly registry: Registry;
  readonly dependants: Dependants;
  readonly schedules: readonly Schedule[];
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
  { config, telemetry, closing }: Process,
  loaded: LoadedJobs | undefined,
): Promise<Kinds> {
  const jobs = loaded ?? (await loadJobs(config.jobsFolder, config.jobsFolderNamed));
  const { salesforce, page: sandboxOrg } = await withSandboxOrg(config, closing);
  const { orgs, retries } = salesforce;
  const declared = inWords(() =>
    declareWorkloads(workloads, config.workloads, {
      orgs: orgs.map(({ name }) => ({ name, retries })),
    }),
  );
  const webhooks = webhookKind({ ...config.webhook, measured: telemetry.call });
  const main = [...jobs.kinds, ...declared.kinds, webhooks];
  const ofOrgs = orgs.flatMap(({ name }) => declared.kindsOf(name));
  const registry = inWords(() => createRegistry([...main, ...ofOrgs]));
  jobs.check(registry);
  const rules = [...jobs.rules, ...declared.rules];
  const dependants = inWords(() => dependantsOf(registry, rules));
  inWords(() => config.pools.forEach(({ kinds = [] }) => kinds.forEach(registry.require)));
  const schedules = [...jobs.schedules, ...declared.schedules];
  const places = placesOf({
    redis: config.redis,
    kinds: main,
    wanting: declared.wantRedis,
    rules,
    schedules,
  });
  return {
    jobs,
    declared,
    registry,
    dependants,
    schedules,
    places,
    salesforce,
    ofOrgs,
    sandboxOrg,
  };
}
