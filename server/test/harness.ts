import { ApiError, type Client, type ErrorCode, createClient } from '@millrace/api';
import {
  type Clock,
  type EventMap,
  type EventName,
  type Events,
  type JobKind,
  type Rule,
  type Schedule,
  type Scope,
  type Worker,
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  dependantsOf,
  within,
} from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { createMemoryDatabase } from '@millrace/store-memory';
import type { AuditLog, Figures } from '@millrace/store-postgres';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { BULK_KIND, bulkKind } from '../src/bulk/kind.ts';
import { createApp } from '../src/http/app.ts';
import type { AppParts } from '../src/http/handler.ts';
import { storeCheck } from '../src/health.ts';
import { serveFigures } from '../src/figures/overview.ts';
import { DEVELOPER } from '../src/identity/caller.ts';
import { createHub } from '../src/live/hub.ts';
import { lineWriter } from '../src/workers.ts';
import { createLog } from '../src/log/log.ts';
import { noTelemetry } from '../src/telemetry/telemetry.ts';
import type { MainStore } from '../src/stores/parts.ts';
import { type DeliverParams, createDeliver } from '../src/webhook/deliver.ts';
import { webhookKind } from '../src/webhook/kind.ts';
import { NO_WORKLOADS } from '../src/workloads/open.ts';
import { createMemoryFigures } from './figures.ts';
import {
  asMain,
  createLine,
  createMemoryAudit,
  createMemoryBulk,
  createMemorySaved,
} from './service.ts';

export interface Harness {
  readonly app: FastifyInstance;
  readonly client: Client;
  readonly store: MainStore;
  readonly audit: AuditLog;
  readonly worker: Worker;
  readonly events: Events;
  readonly lines: string[];
  /** Resolves with the next event of the name that the test accepts. */
  next<Name extends EventName>(
    name: Name,
    accept?: (event: EventMap[Name]) => boolean,
  ): Promise<EventMap[Name]>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  readonly kinds?: readonly JobKind[];
  readonly rules?: readonly Rule[];
  readonly schedules?: readonly Schedule[];
  readonly webhook?: DeliverParams;
  readonly config?: Partial<AppParts['config']>;
  readonly store?: (store: MainStore) => MainStore;
  readonly audit?: (audit: AuditLog) => AuditLog;
  readonly parts?: Partial<AppParts>;
  readonly workerId?: string;
  readonly figures?: Figures;
  /** By which answers about the whole are shared. */
  readonly clock?: Clock;
}

/** The app on a memory store, with a worker that has not been started. */
export function createHarness(options: HarnessOptions = {}): Harness {
  const webhook = options.webhook ?? { secret: null, allow: [] };
  const registry = createRegistry([
    ...(options.kinds ?? []),
    webhookKind(createDeliver(webhook)),
    bulkKind(),
  ]);
  const dependants = dependantsOf(registry, options.rules ?? []);
  const opened = asMain(createMemoryDatabase({ now: Date.now, name: 'mem' }).open({ dependants }));
  const store = options.store?.(opened) ?? opened;
  const written = createMemoryAudit(Date.now);
  const audit = options.audit?.(written) ?? written;
  const events = createEvents();
  const lines: string[] = [];
  const log = createLog({
    level: 'debug',
    readable: false,
    secrets: [],
    write: (line) => lines.push(line),
  });
  const bulk = createMemoryBulk();
  const queueWithin = (scope: Scope) =>
    createQueue({ store: within(store, scope), registry, events });
  const worker = createWorker({
    config: { id: options.workerId ?? 'worker-1', schedules: options.schedules ?? [] },
    store,
    registry,
    clock: systemClock,
    random: Math.random,
    events,
    wallClock: Date.now,
    writeLine: lineWriter([]),
    services: new Map([[BULK_KIND, { log: bulk, within: queueWithin }]]),
  });
  const config = {
    host: '127.0.0.1',
    role: 'all' as const,
    webhook,
    rateLimit: 1_000_000,
    generateLimit: 10_000_000,
    jobsFolder: '/srv/jobs',
    production: false,
    ...options.config,
  };
  const announcements = createLine().open();
  const hub = createHub({
    store,
    announcements,
    events,
    log,
    streamsPerCaller: 100,
  });
  const figures = serveFigures({
    store,
    figures: options.figures ?? createMemoryFigures(),
    clock: options.clock ?? systemClock,
    away: () => [],
    beside: new Set(),
    schedules: () => options.schedules ?? [],
    budgets: async () => [],
    documentKinds: ['document'],
  });
  const app = createApp({
    settings: () => [],
    sandboxPages: [],
    within(scope) {
      const asked = within(store, scope);
      return { store: asked, queue: queueWithin(scope), figures: figures.within(scope) };
    },
    away: { places: () => [] },
    audit,
    bulk,
    saved: createMemorySaved(Date.now),
    jobs: createQueue({ store, registry, events }),
    rules: () => options.rules ?? [],
    worker,
    registry,
    schedules: () => options.schedules ?? [],
    config,
    replica: worker.id,
    authenticate: () => Promise.resolve(DEVELOPER),
    signIn: {
      version: '0.0.0',
      environment: null,
      sandbox: false,
      required: false,
      issuer: null,
      clientId: null,
      scope: null,
    },
    hub,
    workloads: NO_WORKLOADS,
    telemetry: noTelemetry,
    checks: [storeCheck(store)],
    log,
    stopped: () => null,
    isStopping: () => false,
    ...options.parts,
  });
  return {
    app,
    client: createClient({ baseUrl: 'http://localhost:3000', fetch: fetchOf(app) }),
    store,
    audit,
    worker,
    events,
    lines,
    next: (name, accept = () => true) =>
      new Promise((resolve) => {
        const stop = events.on(name, (event) => {
          if (!accept(event)) return;
          stop();
          resolve(event);
        });
      }),
    async close() {
      await worker.stop();
      await hub.close();
      await app.close();
      await store.close();
    },
  };
}

/** A fetch that goes to the app without a socket. */
export function fetchOf(app: FastifyInstance): typeof globalThis.fetch {
  return (async (url: string, init: RequestInit = {}) => {
    const { pathname, search, host } = new URL(url);
    const response = await app.inject({
      method: init.method as NonNullable<InjectOptions['method']>,
      url: `${pathname}${search}`,
      headers: { host, ...(init.headers as Record<string, string>) },
      ...(init.body != null && { payload: init.body as string }),
    });
    return new Response(response.body, {
      status: response.statusCode,
      headers: Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    });
  }) as typeof globalThis.fetch;
}

/** The sentence with which a call was refused, which has to be for this reason. */
export async function refusal(promise: Promise<unknown>, code: ErrorCode): Promise<string> {
  const thrown = await promise.then(
    (answer) => new Error(`not refused: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  if (!(thrown instanceof ApiError)) throw thrown;
  if (thrown.problem.code !== code) throw thrown;
  return thrown.message;
}
