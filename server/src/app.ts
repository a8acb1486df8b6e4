import { type Contract, contracts } from '@millrace/api';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { CORRELATION_HEADER, correlationIdOf } from './correlation.ts';
import { createGuard } from './guard.ts';
import type { AppParts, Handler, Handlers } from './handler.ts';
import { logRequest } from './log-request.ts';
import type { Logger } from './log.ts';
import { Refusal } from './refusal.ts';
import { answerProblem, register } from './register.ts';
import { enqueueHandlers } from './routes/enqueue.ts';
import { healthHandlers } from './routes/health.ts';
import { jobHandlers } from './routes/jobs.ts';
import { kindHandlers } from './routes/kinds.ts';
import { workerHandlers } from './routes/worker.ts';

/** Twice what one job's data may be; the rest is for batches. */
const BODY_LIMIT = 2 * 1024 * 1024;

/** The API, from its contracts. It listens to nothing yet. */
export function createApp(parts: AppParts): FastifyInstance {
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
    genReqId: (request) => correlationIdOf(request.headers),
    // The contracts say how long a name may be; the router must not answer before them.
    routerOptions: { maxParamLength: 5_000 },
    frameworkErrors: answerProblem,
  });
  takeJsonOnly(app);
  const guard = createGuard(parts.config.host);
  app.addHook('onRequest', async (request, reply) => {
    reply.header(CORRELATION_HEADER, request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    guard(request);
  });
  app.addHook('onResponse', async (request, reply) => logRequest(request, reply));
  app.setErrorHandler(answerProblem);
  app.setNotFoundHandler(({ method, url }) => {
    throw new Refusal('not_found', `There is no ${method} ${url.split('?')[0]}.`);
  });

  const handlers = handlersOf(parts);
  for (const [name, contract] of Object.entries(contracts) as [keyof Handlers, Contract][]) {
    const handler = handlers[name] as Handler<Contract> | undefined;
    if (handler !== undefined) register(app, contract, handler);
  }
  return app;
}

/** Fastify tells that it listens, and so do we, in better words. Requests log through `parts.log` itself. */
function quieter(log: Logger): FastifyBaseLogger {
  return log.child({}, { level: log.isLevelEnabled('info') ? 'warn' : log.level });
}

function handlersOf(parts: AppParts): Partial<Handlers> {
  const operations = { ...workerHandlers(parts), ...healthHandlers(parts) };
  if (parts.config.role === 'worker') return operations;
  const all: Handlers = {
    ...operations,
    ...enqueueHandlers(parts),
    ...jobHandlers(parts),
    ...kindHandlers(parts),
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
