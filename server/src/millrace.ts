import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { documentKinds } from '@millrace/documents';
import {
  type Events,
  type JobKind,
  type Store,
  type Worker,
  type WorkerConfig,
  createCrew,
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  dependantsOf,
} from '@millrace/engine';
import type { FastifyInstance } from 'fastify';
import { createApp } from './http/app.ts';
import { systemClock } from './clock.ts';
import type { Config, SalesforceConfig } from './config/config.ts';
import { type DocumentService, openDocumentService } from './documents/open.ts';
import { officeCheck, orgCheck, storeCheck } from './health.ts';
import { type RealIdentity, createIdentity } from './identity/identity.ts';
import { type LoadedJobs, loadJobs } from './jobs/folder.ts';
import { createHub } from './live/hub.ts';
import { logEvents } from './log/events.ts';
import type { Logger } from './log/log.ts';
import { openOrg, orgKind, orgPool, tellLevel, templatesOf, usageOf } from './salesforce/orgs.ts';
import { tellCommandLine } from './running.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { startOrg } from './sandbox-org.ts';
import { StartError } from './start-error.ts';
import { openStore } from './store.ts';
import { beside } from './stores/beside.ts';
import { joinStores } from './stores/joined.ts';
import { serveMetrics } from './telemetry/endpoint.ts';
import { traceAnnouncements, traceAudit, traceStore } from './telemetry/store.ts';
import { startTelemetry } from './telemetry/telemetry.ts';
import { cannotListen, requireFreePort } from './port.ts';
import { VERSION } from './version.ts';
import { webhookKind } from './webhook/kind.ts';
import { allWorkers } from './workers.ts';

/** For requests under way, once the jobs have ended. */
const CLOSE_WITHIN_MS = 3_000;

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
  const webhooks = webhookKind({ ...config.webhook, measured: telemetry.call });
  let service: DocumentService | null = null;
  const made = () => required(service).documents;
  const documents = config.documents === null ? [] : documentKinds(made);
  const { salesforce, page: sandboxOrg } = await withSandbox(config, closing);
  const mainKinds = [...jobs.kinds, ...documents, webhooks];
  const orgKinds = salesforce.orgs.map((org) => orgKind(org, salesforce, made));
  const registry = inWords(() => createRegistry([...mainKinds, ...orgKinds]));
  jobs.check(registry);
  const dependants = inWords(() => dependantsOf(registry, jobs.rules));
  inWords(() => config.pools.forEach(({ kinds = [] }) => kinds.forEach(registry.require)));

  const store = await openStore(config, dependants, log);
  closing.add(() => store.close());
  const traced = traceStore(store, telemetry);
  const orgs = salesforce.orgs.map((org) => openOrg(org, salesforce, { telemetry, log }));
  const sides = orgs.map((org) => {
    closing.add(() => org.store.close());
    return beside(traceStore(org.store, telemetry, 'salesforce'), traced, Date.now);
  });
  const joined = joinStores(
    traced,
    orgs.map(({ kind }, index) => ({ store: sides[index] ?? traced, kinds: [kind] })),
    (org, err) =>
      log.warn({ org, err }, 'the Salesforce org does not answer; its jobs are left out'),
  );

  const sandbox = config.identity.mode === 'sandbox' ? await openSandbox(config) : null;
  if (sandbox !== null) closing.add(() => sandbox.close());
  const identity = createIdentity(identityOf(config, sandbox), log, telemetry);

  const events = createEvents();
  logEvents(events, log);
  telemetry.watch(events);
  const queue = createQueue({ store: joined, registry, events });
  const crew = createCrew();
  const workOn = (on: Store, kinds: readonly JobKind[], workerConfig: WorkerConfig): Worker =>
    createWorker({
      config: { shutdownGrace: config.shutdownGraceMs, ...workerConfig },
      store: on,
      registry: createRegistry(kinds),
      clock: systemClock,
      random: Math.random,
      // Each counts its own; all of them are told together.
      events: orgs.length === 0 ? events : forwarding(events),
      logFor: ({ id, kind, attempt, correlationId }) =>
        log.child({ id, kind, attempt, correlationId: correlationId ?? id }),
      ...(telemetry.tracing && { tracing: telemetry.tracing }),
      crew,
    });
  const worker =
    config.role === 'api'
      ? null
      : inWords(() =>
          allWorkers(
            workOn(traced, mainKinds, {
              id: replica,
              pools: config.pools,
              schedules: jobs.schedules,
              lease: config.leaseMs,
            }),
            orgKinds.map((kind, index) =>
              workOn(sides[index] ?? traced, [kind], {
                id: `${replica}.${orgs[index]?.name}`,
                pools: [orgPool(kind.kind, salesforce)],
                lease: salesforce.leaseMs,
              }),
            ),
          ),
        );
  if (config.documents !== null) {
    service = await openDocumentService({
      config: config.documents,
      store,
      queue,
      telemetry,
      log,
      ...(orgs.length > 0 && { templates: templatesOf(orgs, telemetry) }),
    });
    closing.add(required(service).close);
  }
  const hub = createHub({
    store: joined,
    announcements: traceAnnouncements(store.announcements, telemetry),
    events,
    processId: replica,
    log,
    serves: config.role !== 'worker',
    onDropped: () => telemetry.count('live_streams_dropped_total', 1),
  });
  const office = service?.office;
  const usage = orgs.map((org) => usageOf(org, events));
  telemetry.observe({
    store: joined,
    worker,
    registry,
    hub,
    orgs: usage,
    ...(office && { office }),
  });

  let stopping = false;
  const app = createApp({
    queue,
    store: joined,
    audit: traceAudit(store.audit, telemetry),
    worker,
    registry,
    schedules: jobs.schedules,
    config,
    replica,
    authenticate: identity.authenticate,
    signIn: identity.signIn,
    hub,
    telemetry,
    documents: service?.documents ?? null,
    orgs,
    checks: [
      storeCheck(store, store.database.trouble),
      ...identity.checks,
      ...(office ? [officeCheck(office)] : []),
      ...orgs.map(orgCheck),
    ],
    log,
    isStopping: () => stopping,
  });
  closing.add(() => closeApp(app));
  closing.add(() => hub.close());
  const address = await listen(app, config);
  const metrics = config.metrics === null ? null : await serveMetrics(config.metrics, telemetry);
  if (metrics !== null) closing.add(() => metrics.close());
  if (config.runningFolder !== null) {
    const client = sandbox?.client ?? null;
    const [org = null] = sandboxOrg === null ? [] : orgKinds;
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

/** What one worker tells is told to all who listen. */
function forwarding(events: Events): Events {
  const own = createEvents();
  own.onAny((name, event) => events.emit(name, event));
  return own;
}

/** The kinds are known before the database is open, and run only after. */
function required(service: DocumentService | null): DocumentService {
  if (service === null) throw new StartError('The documents are not open yet.');
  return service;
}

/** A connection on which nothing was ever asked counts as busy, and would keep the process for good. */
async function closeApp(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS);
  await app.close();
  clearTimeout(timer);
}

/** What was opened is closed, the last first, and one that fails does not keep the others open. */
interface Closing {
  add(close: () => Promise<unknown>): void;
  close(): Promise<void>;
}

function createClosing(): Closing {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add: (close) => void closers.push(close),
    async close() {
      let failed: { readonly error: unknown } | null = null;
      for (const close of closers.splice(0).toReversed()) {
        try {
          await close();
        } catch (error) {
          failed ??= { error };
        }
      }
      if (failed !== null) throw failed.error;
    },
  };
}

/** With the simulated org, where it is asked for. */
async function withSandbox(
  { salesforce, dataFolder }: Config,
  closing: Closing,
): Promise<{ salesforce: SalesforceConfig; page: string | null }> {
  if (!salesforce.sandbox) return { salesforce, page: null };
  const org = await startOrg(dataFolder);
  closing.add(() => org.close());
  return { salesforce: { ...salesforce, orgs: [org.config] }, page: org.page };
}

async function openSandbox({ dataFolder }: Config): Promise<Sandbox> {
  try {
    return await startSandbox(dataFolder);
  } catch (error) {
    throw new StartError(`The sandbox cannot be started in ${dataFolder}: ${String(error)}`, {
      cause: error,
    });
  }
}

function identityOf(config: Config, sandbox: Sandbox | null): RealIdentity {
  if (sandbox !== null) return sandbox.identity;
  if (config.identity.mode === 'sandbox') throw new Error('the sandbox was not started');
  return config.identity;
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw cannotListen(error, host, port);
  }
}

/** What the engine refuses here is written in someone's job files or settings: no stack of ours helps them. */
function inWords<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
