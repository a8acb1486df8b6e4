import { createQueue, within } from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { orgCheck, redisCheck, storeCheck } from '../health.ts';
import { createApp } from '../http/app.ts';
import { keepAudit } from '../http/keep-audit.ts';
import { byFirstName } from '../identity/first-names.ts';
import { createIdentity } from '../identity/identity.ts';
import { type Sandbox, identityOf } from '../sandbox.ts';
import { sandboxPagesOf } from '../sandbox-pages.ts';
import { storePlace } from '../store.ts';
import { serveMetrics } from '../telemetry/export/endpoint.ts';
import { traceAudit } from '../telemetry/store.ts';
import { VERSION } from '../version.ts';
import type { Kinds } from './kinds.ts';
import type { Process } from './process.ts';
import type { Queues } from './queues.ts';
import type { Work } from './work.ts';
import type { FastifyInstance } from 'fastify';
import { addressOf } from '../address.ts';
import type { Config } from '../config/config.ts';
import { cannotListen } from '../port.ts';
import type { Door } from '../http/door.ts';

/** Identity and the HTTP server, through which the process is reachable. */
export interface Front {
  readonly address: string;
  /** Where metrics are served without a token, if anywhere. */
  readonly metricsAddress: string | null;
  /** Null where there is a real issuer, or nobody is asked. */
  readonly sandbox: Sandbox | null;
  /** Readiness falls. */
  turnAway(): void;
}

export async function openFront(
  process: Process,
  kinds: Kinds,
  { stores, orgs }: Queues,
  { events, workloads, worker, hub, figures }: Work,
): Promise<Front> {
  const { config, log, telemetry, replica, closing, lasting } = process;
  const { registry, schedules, rules } = kinds;
  const { database, joined, redis, away } = stores;
  const sandbox = await lasting.sandbox();
  const identity = createIdentity(identityOf(config, sandbox), log, telemetry, config);
  let isStopping = false;
  const audit = traceAudit(database.audit, telemetry);
  closing.add(keepAudit({ audit, keepMs: config.keepAuditMs, clock: systemClock, log }));
  const app = createApp({
    within(scope) {
      const store = within(joined, scope);
      const queue = createQueue({ store, registry, events });
      return { store, queue, figures: figures.within(scope) };
    },
    away,
    audit,
    bulk: database.bulk,
    saved: database.saved,
    jobs: createQueue({ store: joined, registry, events }),
    rules: () => rules,
    worker,
    registry,
    schedules,
    config,
    replica,
    authenticate: byFirstName(identity.authenticate, database.names),
    signIn: {
      ...identity.signIn,
      version: VERSION,
      environment: config.environment,
      sandbox: sandbox !== null,
    },
    settings: () => config.settings,
    sandboxPages: sandboxPagesOf({
      identity: sandbox?.page ?? null,
      org: kinds.sandboxOrg,
      marketingCloud: config.marketingCloudPage,
    }),
    hub,
    telemetry,
    workloads,
    checks: [
      // Anybody may ask for readiness: where the database of a real installation is, its log says.
      storeCheck(database, database.database, config.production ? null : storePlace(config)),
      ...identity.checks,
      ...workloads.checks,
      ...orgs.map(orgCheck),
      ...(redis === null ? [] : [redisCheck(redis)]),
    ],
    log,
    stopped: database.database.stopped,
    isStopping: () => isStopping,
  });
  closing.add(() => closeApp(app, lasting.door));
  closing.add(() => hub.close());
  const address = await listen(app, config, lasting.door);
  const metrics = config.metrics === null ? null : await serveMetrics(config.metrics, telemetry);
  if (metrics !== null) closing.add(() => metrics.close());
  await advertise(process, kinds, { address, sandbox });
  return {
    address,
    metricsAddress: metrics?.address ?? null,
    sandbox,
    turnAway() {
      isStopping = true;
    },
  };
}

/** The command line finds the process by this, from any folder. */
async function advertise(
  { lasting }: Process,
  { sandboxOrg, ofOrgs }: Kinds,
  { address: url, sandbox }: Pick<Front, 'address' | 'sandbox'>,
): Promise<void> {
  const [org = null] = sandboxOrg === null ? [] : ofOrgs;
  const simulatedOrg = org === null ? null : { kind: org.kind, page: sandboxOrg ?? '' };
  await lasting.advertiseServer({ url, client: sandbox?.client ?? null, simulatedOrg });
}

/** For requests under way, once the jobs have ended. */
const CLOSE_WITHIN_MS = 3_000;

/** Connections that wait to be accepted. With Node's 511, a health check in a burst of 800 was asked to try again, and did so for 40 s. */
const BACKLOG = 4_096;

async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
  door: Door | null = null,
): Promise<string> {
  if (door !== null) {
    await app.ready();
    return door.lead(app.server, { host, port });
  }
  try {
    await app.listen({ host, port, backlog: BACKLOG });
    return addressOf(app.server);
  } catch (error) {
    throw cannotListen(error, host, port);
  }
}

/** A connection on which nothing was ever asked counts as busy, and would keep the process for good. */
async function closeApp(app: FastifyInstance, door: Door | null = null): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS);
  await door?.hold(); // whoever has come in is answered, before the routes are closed
  await app.close();
  clearTimeout(timer);
}
