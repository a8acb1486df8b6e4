import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { createEvents, createQueue, createRegistry, dependantsOf, within } from '@millrace/engine';
import { workloads } from '@millrace/workloads';
import { systemClock } from './clock.ts';
import { type Closing, createClosing } from './closing.ts';
import type { Config, SalesforceConfig } from './config/config.ts';
import { orgCheck, redisCheck, storeCheck } from './health.ts';
import { createApp } from './http/app.ts';
import { closeApp, listen } from './http/listen.ts';
import { byFirstName } from './identity/first-names.ts';
import { createIdentity } from './identity/identity.ts';
import { type LoadedJobs, loadJobs } from './jobs/folder.ts';
import { createHub } from './live/hub.ts';
import { createThings } from './live/things.ts';
import { createTopics } from './live/topics.ts';
import { logEvents } from './log/events.ts';
import type { Logger } from './log/log.ts';
import { createFetchPublic } from './outside/fetch-public.ts';
import { openOrg, tellLevel, usageOf } from './salesforce/orgs.ts';
import { tellCommandLine } from './running.ts';
import { type Sandbox, identityOf, openSandbox, withSandboxOrg } from './sandbox.ts';
import { inWords } from './start-error.ts';
import { openStores } from './stores/open.ts';
import { placesOf } from './stores/places.ts';
import { serveMetrics } from './telemetry/export/endpoint.ts';
import { traceAnnouncements, traceAudit } from './telemetry/store.ts';
import { startTelemetry } from './telemetry/telemetry.ts';
import type { Telemetry } from './telemetry/types.ts';
import { requireFreePort } from './port.ts';
import { VERSION } from './version.ts';
import { webhookKind } from './webhook/kind.ts';
import { createWorkers } from './workers.ts';
import { declareWorkloads } from './workloads/declare.ts';
import { openWorkloads } from './workloads/open.ts';

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

/** Everything that makes up the process, from the jobs folder to the socket. `loaded`: those of the folder, unless given. */
export async function startMillrace(
  config: Config,
  log: Logger,
  loaded?: LoadedJobs,
): Promise<Millrace> {
  const closing = createClosing();
  try {
    return await serve(config, log, closing, loaded);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/** Top to bottom: what runs (kinds), where it is kept (stores), who may ask, what does the work, who answers. */
async function serve(
  config: Config,
  log: Logger,
  closing: Closing,
  loaded: LoadedJobs | undefined,
): Promise<Millrace> {
  await requireFreePort(config);
  const replica = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const telemetry = await startTelemetry(
    { ...config.telemetry, serviceInstance: replica, version: VERSION, secrets: config.secrets },
    log,
  );
  closing.add(() => telemetry.stop());

  const jobs = loaded ?? (await loadJobs(config.jobsFolder, config.jobsFolderNamed));
  const { salesforce, page: sandboxOrg } = await withSandboxOrg(config, closing);
  const kinds = declareKinds(config, jobs, salesforce, telemetry);
  const { declared, registry } = kinds;
  const schedules = [...jobs.schedules, ...declared.schedules];
  const places = placesOf({
    redis: config.redis,
    kinds: kinds.main,
    wanting: declared.wantRedis,
    rules: [...jobs.rules, ...declared.rules],
    schedules,
  });

  const orgs = salesforce.orgs.map((org) => {
    const own = declared.kindsOf(org.name).map(({ kind }) => kind);
    return { ...openOrg(org, own, salesforce, { telemetry, log }), kinds: own };
  });
  const stores = await openStores({
    config,
    dependants: kinds.dependants,
    orgs,
    onRedis: places.redis.map(({ kind }) => kind),
    telemetry,
    log,
    closing,
  });
  const { database, joined } = stores;
  declared.check(stores.main, stores.ofOrgs, stores.redis);

  const sandbox = config.identity.mode === 'sandbox' ? await openSandbox(config) : null;
  if (sandbox !== null) closing.add(() => sandbox.close());
  const identity = createIdentity(identityOf(config, sandbox), log, telemetry, config.tenantClaim);

  const events = createEvents();
  logEvents(events, log);
  telemetry.watch(events);
  const queue = createQueue({ store: joined, registry, events });
  const topics = createTopics();
  const opened = await openWorkloads(
    declared.active,
    {
      store: database,
      queue,
      registry,
      orgs,
      telemetry,
      fetchPublic: createFetchPublic(telemetry.call),
      live: topics.live,
      clock: systemClock,
      log,
      version: VERSION,
    },
    closing,
  );
  const worker =
    config.role === 'api'
      ? null
      : inWords(() =>
          createWorkers({
            config,
            salesforce,
            replica,
            stores,
            places,
            kindsOf: declared.kindsOf,
            schedules,
            pools: [...config.pools, ...declared.pools],
            services: opened.services,
            events,
            telemetry,
            log,
          }),
        );
  const hub = createHub({
    store: joined,
    announcements: traceAnnouncements(database.announcements, telemetry),
    events,
    topics,
    things: createThings(opened.topics),
    processId: replica,
    log,
    streamsPerCaller: config.streamsPerCaller,
    serves: config.role !== 'worker',
    onDropped: () => telemetry.count('live_streams_dropped_total', 1),
  });
  telemetry.observe({
    store: joined,
    worker,
    registry,
    hub,
    orgs: orgs.map((org) => usageOf(org, events)),
    workloads: opened.gauges,
  });

  let stopping = false;
  const app = createApp({
    within(scope) {
      const store = within(joined, scope);
      return { store, queue: createQueue({ store, registry, events }) };
    },
    audit: traceAudit(database.audit, telemetry),
    worker,
    registry,
    schedules,
    config,
    replica,
    authenticate: byFirstName(identity.authenticate, database.names),
    signIn: identity.signIn,
    hub,
    telemetry,
    workloads: opened,
    checks: [
      storeCheck(database, database.database),
      ...identity.checks,
      ...opened.checks,
      ...orgs.map(orgCheck),
      ...(stores.redis === null ? [] : [redisCheck(stores.redis)]),
    ],
    log,
    stopped: database.database.stopped,
    isStopping: () => stopping,
  });
  closing.add(() => closeApp(app));
  closing.add(() => hub.close());
  const address = await listen(app, config);
  const metrics = config.metrics === null ? null : await serveMetrics(config.metrics, telemetry);
  if (metrics !== null) closing.add(() => metrics.close());
  if (config.runningFolder !== null) {
    const client = sandbox?.client ?? null;
    const [org = null] = sandboxOrg === null ? [] : kinds.ofOrgs;
    const simulatedOrg = org === null ? null : { kind: org.kind, page: sandboxOrg ?? '' };
    const told = { url: address, client, simulatedOrg };
    closing.add(await tellCommandLine(config.runningFolder, told, log));
  }
  worker?.start();
  for (const org of orgs) tellLevel(org, log);

  return {
    address,
    metricsAddress: metrics?.address ?? null,
    jobs,
    sandbox,
    sandboxOrg,
    inFlight: () => worker?.status().inFlight ?? 0,
    async stop() {
      stopping = true;
      await worker?.stop();
      await closing.close();
    },
  };
}

/** Everything that can run here, from people's job files and from the workloads, before any store is open. */
function declareKinds(
  config: Config,
  jobs: LoadedJobs,
  { orgs, retries }: SalesforceConfig,
  telemetry: Telemetry,
) {
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
  const dependants = inWords(() => dependantsOf(registry, [...jobs.rules, ...declared.rules]));
  inWords(() => config.pools.forEach(({ kinds = [] }) => kinds.forEach(registry.require)));
  return { declared, main, ofOrgs, registry, dependants };
}
