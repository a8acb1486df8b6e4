import { type Contract, contracts } from '@millrace/api';
import type { Scope } from '@millrace/engine';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { readConsole } from '../console/files.ts';
import { serveConsole } from '../console/route.ts';
import { serveSite } from '../docs/site.ts';
import { createAdmit } from './admit.ts';
import { audited } from './audit.ts';
import { answerClientErrors } from './client-errors.ts';
import { CORRELATION_HEADER, correlationIdOf } from './correlation.ts';
import { createGuard } from './guard.ts';
import {
  type AdmittedHandler,
  type AppParts,
  type Handler,
  type Handlers,
  type OwnRoute,
  type RouteParts,
  ok,
} from './handler.ts';
import { SECURITY_HEADERS } from './headers.ts';
import { NOTHING } from '../identity/scope.ts';
import { followed } from '../live/followed.ts';
import { registerEvents } from '../live/route.ts';
import { createRequestLog } from '../log/request.ts';
import type { Logger } from '../log/log.ts';
import { takeJsonOnly } from './json-bodies.ts';
import { createRateLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';
import { answerProblem, register, registerUpload } from './register.ts';
import { auditHandlers } from '../routes/audit.ts';
import { bulkHandlers } from '../routes/bulk.ts';
import { descriptionHandlers } from '../routes/description.ts';
import { enqueueHandlers } from '../routes/enqueue.ts';
import { errorGroupHandlers } from '../routes/error-groups.ts';
import { familyHandlers } from '../routes/family.ts';
import { healthHandlers } from '../routes/health.ts';
import { identityHandlers } from '../routes/identity.ts';
import { installationHandlers } from '../routes/installation.ts';
import { jobHandlers } from '../routes/jobs.ts';
import { kindHandlers } from '../routes/kinds.ts';
import { overviewHandlers } from '../routes/overview.ts';
import { replicaHandlers } from '../routes/replicas.ts';
import { savedHandlers } from '../routes/saved.ts';
import { scheduleHandlers } from '../routes/schedules.ts';
import { workerHandlers } from '../routes/worker.ts';
import { traceRequests } from '../telemetry/requests.ts';
import { createTurnServer } from './turns.ts';
import { VERSION } from '../version.ts';

/** Twice what one job's data may be; the rest is for batches. */
const BODY_LIMIT = 2 * 1024 * 1024;
const HEADER_LIMIT = 16 * 1024;

/** The API, from its contracts. It listens to nothing yet. */
export function createApp(parts: AppParts): FastifyInstance {
  const answer = answerProblem(parts.workloads.toProblem);
  const app = Fastify({
    loggerInstance: quieter(parts.log),
    childLoggerFactory: (_, bindings, options): FastifyBaseLogger =>
      parts.log.child(bindings, options),
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'correlationId',
    }),
    bodyLimit: BODY_LIMIT,
    serverFactory: (handle) =>
      createTurnServer(handle, {
        maxHeaderSize: HEADER_LIMIT,
        // Slow headers hold a socket, and nothing has been asked yet.
        headersTimeout: 20_000,
        requestTimeout: 60_000,
        // Longer than load balancers keep theirs: whoever closes first must not be us.
        keepAliveTimeout: 72_000,
      }),
    clientErrorHandler: answerClientErrors(parts.log),
    genReqId: (request) => correlationIdOf(request.headers),
    // The contracts say how long a name may be; the router must not answer before them.
    routerOptions: { maxParamLength: 5_000 },
    frameworkErrors: answer,
  });
  const bodies = takeJsonOnly(app, parts.config.generateLimit);
  app.decorateRequest('admitted', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('refusal', null);
  app.decorateRequest('failure', null);
  traceRequests(app, parts.telemetry);
  const guard = createGuard(parts.config.host);
  app.addHook('onRequest', async (request, reply) => {
    reply.header(CORRELATION_HEADER, request.id);
    reply.headers(SECURITY_HEADERS);
    guard(request);
  });
  const logRequest = createRequestLog(() => performance.now());
  app.addHook('onResponse', async (request, reply) => logRequest(request, reply));
  app.setErrorHandler(answer);
  app.setNotFoundHandler(({ method, url }) => {
    throw new Refusal('not_found', `No such route: ${method} ${url.split('?')[0]}.`);
  });

  const rateLimit = createRateLimit({
    perMinute: parts.config.rateLimit,
    now: () => performance.now(),
  });
  const admit = createAdmit(parts.authenticate, rateLimit);
  const handlersFor = createHandlers(parts);
  const own = new Set(Object.keys(handlersFor(NOTHING)));
  for (const [name, contract] of Object.entries(contracts) as [keyof Handlers, Contract][]) {
    const isOfWorkload = parts.config.role !== 'worker' && parts.workloads.routes.has(name);
    if (!own.has(name) && !isOfWorkload) continue;
    const handler: AdmittedHandler = async (call) => {
      const { scope } = call;
      const made = handlersFor(scope)[name] ?? parts.workloads.handler(name, scope);
      if (made === undefined) throw new Error(`nobody answers ${name}`);
      return (made as Handler<Contract>)(call);
    };
    const complete = followed(
      audited(name, contract, handler, parts.audit, parts.replica),
      parts.hub.follow,
    );
    if (contract.upload === undefined)
      register(app, name, contract, admit, complete, {
        bodies,
        ...(contract.large === true && { bodyLimit: parts.config.generateLimit }),
      });
    else registerUpload(app, name, contract, admit, complete);
  }
  if (parts.config.role !== 'worker') {
    registerEvents(app, admit, parts);
    serveConsole(app, readConsole(), parts.signIn);
    serveSite(app);
  }
  return app;
}

/** Silences Fastify's own line about listening, which we log ourselves. Requests log through `parts.log`. */
function quieter(log: Logger): FastifyBaseLogger {
  return log.child({}, { level: log.isLevelEnabled('info') ? 'warn' : log.level });
}

/** Made for each call, so that nothing is reached beyond what its caller may see. */
function createHandlers(parts: AppParts): (scope: Scope) => Partial<Handlers> {
  const ofProcess: Handlers<'healthz' | 'readyz' | 'signIn' | 'me' | 'metrics'> = {
    ...healthHandlers(parts),
    ...identityHandlers(parts),
    metrics: async () => ok(await parts.telemetry.scrape()),
  };
  const description = descriptionHandlers({ version: VERSION });
  return (scope) => {
    const within: RouteParts = { ...parts, ...parts.within(scope), scope };
    const ofWorker = { ...ofProcess, ...workerHandlers(within) };
    if (parts.config.role === 'worker') return ofWorker;
    // All of them, or the compiler names the one that is missing.
    const all: Handlers<OwnRoute> = {
      ...ofWorker,
      ...description,
      ...enqueueHandlers(within),
      ...jobHandlers(within),
      ...familyHandlers(within),
      ...bulkHandlers(within),
      ...replicaHandlers(within),
      ...kindHandlers(within),
      ...scheduleHandlers(within),
      ...overviewHandlers(within),
      ...errorGroupHandlers(within),
      ...installationHandlers(within),
      ...auditHandlers(within),
      ...savedHandlers(within),
    };
    return all;
  };
}
