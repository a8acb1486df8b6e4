import { type Contract, type RouteName, contracts } from '@millrace/api';
import { EVERYTHING } from '@millrace/workload-kit';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { createAdmit } from './admit.ts';
import { audited } from './audit.ts';
import { answerClientErrors } from './client-errors.ts';
import { CORRELATION_HEADER, correlationIdOf } from './correlation.ts';
import { createGuard } from './guard.ts';
import { type AppParts, type Handler, type Handlers, ok } from './handler.ts';
import { SECURITY_HEADERS } from './headers.ts';
import { registerEvents } from '../live/route.ts';
import { createRequestLog } from '../log/request.ts';
import type { Logger } from '../log/log.ts';
import { createRateLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';
import { answerProblem, register, registerUpload } from './register.ts';
import { auditHandlers } from '../routes/audit.ts';
import { descriptionHandlers } from '../routes/description.ts';
import { enqueueHandlers } from '../routes/enqueue.ts';
import { healthHandlers } from '../routes/health.ts';
import { identityHandlers } from '../routes/identity.ts';
import { jobHandlers } from '../routes/jobs.ts';
import { kindHandlers } from '../routes/kinds.ts';
import { scheduleHandlers } from '../routes/schedules.ts';
import { workerHandlers } from '../routes/worker.ts';
import { traceRequests } from '../telemetry/requests.ts';
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
    requestTimeout: 60_000,
    // Slow headers hold a socket, and nothing has been asked yet.
    http: { maxHeaderSize: HEADER_LIMIT, headersTimeout: 20_000 },
    clientErrorHandler: answerClientErrors(parts.log),
    genReqId: (request) => correlationIdOf(request.headers),
    // The contracts say how long a name may be; the router must not answer before them.
    routerOptions: { maxParamLength: 5_000 },
    frameworkErrors: answer,
  });
  takeJsonOnly(app);
  app.decorateRequest('caller', null);
  app.decorateRequest('refusal', null);
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
    throw new Refusal('not_found', `There is no ${method} ${url.split('?')[0]}.`);
  });

  const rateLimit = createRateLimit({
    perMinute: parts.config.rateLimit,
    now: () => performance.now(),
  });
  const admit = createAdmit(parts.authenticate, rateLimit);
  const own = handlersOf(parts);
  for (const [name, contract] of Object.entries(contracts) as [keyof Handlers, Contract][]) {
    const handler = (own[name] as Handler<Contract> | undefined) ?? ofWorkloads(name, parts);
    if (handler === undefined) continue;
    const complete = audited(name, contract, handler, parts.audit, parts.replica);
    if (contract.upload === undefined) register(app, name, contract, admit, complete);
    else registerUpload(app, name, contract, admit, complete);
  }
  if (parts.config.role !== 'worker') {
    registerEvents(app, admit, parts.hub);
    // Whoever opens the address in a browser finds a page: the description, until there is a console.
    app.get('/', (_, reply) => reply.redirect('/docs'));
  }
  return app;
}

/** Fastify tells that it listens, and so do we, in better words. Requests log through `parts.log` itself. */
function quieter(log: Logger): FastifyBaseLogger {
  return log.child({}, { level: log.isLevelEnabled('info') ? 'warn' : log.level });
}

/** Made for each call, so that it reaches nothing beyond what its caller may see. */
function ofWorkloads(
  name: RouteName,
  { workloads, config }: AppParts,
): Handler<Contract> | undefined {
  if (config.role === 'worker' || !workloads.routes.has(name)) return undefined;
  return async (call) => {
    const handler = workloads.handler(name, EVERYTHING);
    if (handler === undefined) throw new Error(`no workload answers ${name}`);
    return handler(call);
  };
}

function handlersOf(parts: AppParts): Partial<Handlers> {
  const operations = {
    ...workerHandlers(parts),
    ...healthHandlers(parts),
    ...identityHandlers(parts),
    metrics: async () => ok(await parts.telemetry.scrape()),
  };
  if (parts.config.role === 'worker') return operations;
  const all: Partial<Handlers> = {
    ...operations,
    ...enqueueHandlers(parts),
    ...jobHandlers(parts),
    ...kindHandlers(parts),
    ...scheduleHandlers(parts),
    ...auditHandlers(parts),
    ...descriptionHandlers({ version: VERSION }),
  };
  return all;
}

/** A page of another site can send any text without asking first, but not `application/json`. */
function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Tools send the content type with an empty body too, where a route takes none.
    if (body === '') done(null, undefined);
    else void parse(request, body as string, done);
  });
}
