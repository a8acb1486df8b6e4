import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { documentKinds } from '@millrace/documents';
import {
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  dependantsOf,
} from '@millrace/engine';
import type { FastifyInstance } from 'fastify';
import { createApp } from './http/app.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config/config.ts';
import { type DocumentService, openDocumentService } from './documents/open.ts';
import { officeCheck, storeCheck } from './health.ts';
import { type RealIdentity, createIdentity } from './identity/identity.ts';
import { type LoadedJobs, loadJobs } from './jobs/folder.ts';
import { createHub } from './live/hub.ts';
import { logEvents } from './log/events.ts';
import type { Logger } from './log/log.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { StartError } from './start-error.ts';
import { openStore } from './store.ts';
import { serveMetrics } from './telemetry/endpoint.ts';
import { traceStore } from './telemetry/store.ts';
import { startTelemetry } from './telemetry/telemetry.ts';
import { VERSION } from './version.ts';
import { webhookKind } from './webhook/kind.ts';

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
  readonly inFlight: () => number;
  /** Readiness falls, running jobs end or are handed back, then everything is closed. */
  stop(): Promise<void>;
}

/** Everything that makes up the process, from the jobs folder to the socket. */
export async function startMillrace(config: Config, log: Logger): Promise<Millrace> {
  const closing = createClosing();
  try {
    return await serve(config, log, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function serve(config: Config, log: Logger, closing: Closing): Promise<Millrace> {
  const replica = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const telemetry = await startTelemetry(
    { ...config.telemetry, serviceInstance: replica, version: VERSION, secrets: config.secrets },
    log,
  );
  closing.add(() => telemetry.stop());

  const jobs = await loadJobs(config.jobsFolder, config.jobsFolderNamed);
  const webhooks = webhookKind({ ...config.webhook, measured: telemetry.call });
  let service: DocumentService | null = null;
  const documents =
    config.documents === null ? [] : documentKinds(() => required(service).documents);
  const registry = inWords(() => createRegistry([...jobs.kinds, ...documents, webhooks]));
  const dependants = inWords(() => dependantsOf(registry, jobs.rules));
  inWords(() => config.pools.forEach(({ kinds = [] }) => kinds.forEach(registry.require)));

  const store = await openStore(config, dependants);
  closing.add(() => store.close());
  const traced = traceStore(store, telemetry);

  const sandbox = config.identity.mode === 'sandbox' ? await openSandbox(config) : null;
  if (sandbox !== null) closing.add(() => sandbox.close());
  const identity = createIdentity(identityOf(config, sandbox), log, telemetry);

  const events = createEvents();
  logEvents(events, log);
  telemetry.watch(events);
  const queue = createQueue({ store: traced, registry, events });
  const worker =
    config.role === 'api'
      ? null
      : inWords(() =>
          createWorker({
            config: {
              id: replica,
              pools: config.pools,
              schedules: jobs.schedules,
              lease: config.leaseMs,
              shutdownGrace: config.shutdownGraceMs,
            },
            store: traced,
            registry,
            clock: systemClock,
            random: Math.random,
            events,
            logFor: ({ id, kind, attempt, correlationId }) =>
              log.child({ id, kind, attempt, correlationId: correlationId ?? id }),
            ...(telemetry.tracing && { tracing: telemetry.tracing }),
          }),
        );
  if (config.documents !== null) {
    service = await openDocumentService({
      config: config.documents,
      store,
      queue,
      telemetry,
      log,
    });
    closing.add(required(service).close);
  }
  const hub = createHub({
    store: traced,
    events,
    processId: replica,
    log,
    serves: config.role !== 'worker',
    onDropped: () => telemetry.count('live_streams_dropped_total', 1),
  });
  const office = service?.office;
  telemetry.observe({ store, worker, registry, hub, ...(office && { office }) });

  let stopping = false;
  const app = createApp({
    queue,
    store: traced,
    worker,
    registry,
    config,
    replica,
    authenticate: identity.authenticate,
    signIn: identity.signIn,
    hub,
    telemetry,
    documents: service?.documents ?? null,
    checks: [storeCheck(store), ...identity.checks, ...(office ? [officeCheck(office)] : [])],
    log,
    isStopping: () => stopping,
  });
  closing.add(() => closeApp(app));
  closing.add(() => hub.close());
  const address = await listen(app, config);
  const metrics = config.metrics === null ? null : await serveMetrics(config.metrics, telemetry);
  if (metrics !== null) closing.add(() => metrics.close());
  await sandbox?.tellCommandLine(address);
  worker?.start();

  return {
    address,
    metricsAddress: metrics?.address ?? null,
    jobs,
    sandbox,
    inFlight: () => worker?.status().inFlight ?? 0,
    async stop() {
      stopping = true;
      await worker?.stop();
      await closing.close();
    },
  };
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
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `Port ${port} on ${host} is taken. Stop what listens there, or set PORT to another (0 takes a free one).`,
      );
    }
    throw new StartError(`Cannot listen on ${host}, port ${port}: ${String(error)}`, {
      cause: error,
    });
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
