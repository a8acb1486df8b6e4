import { type Contract, type Issue, PROBLEM_TYPE } from '@millrace/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { CORRELATION_HEADER } from './correlation.ts';
import type { Handler } from './handler.ts';
import { toProblem } from './problems.ts';
import { Refusal } from './refusal.ts';

/** A contract and its handler become a route: check what came in, call, answer. */
export function register(
  app: FastifyInstance,
  contract: Contract,
  handler: Handler<Contract>,
): void {
  const { method, path: url } = contract;
  app.route({
    method,
    url,
    async handler(request, reply) {
      const { status, body } = await handler({
        params: checked(contract.params, request.params, 'path') as undefined,
        query: checked(contract.query, request.query, 'query') as undefined,
        body: checked(contract.body, request.body, 'body') as undefined,
        correlationId: request.id,
        log: request.log,
      });
      return reply.code(status).send(body);
    },
  });
}

/** Whatever was thrown, from the router to the store. */
export function answerProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const told = toProblem(thrown, request.id);
  if (told.status >= 500) request.log.error({ err: thrown, code: told.code }, 'request failed');
  // A URL that is not one never reaches the hook that sets it.
  reply.header(CORRELATION_HEADER, request.id);
  reply.code(told.status).type(PROBLEM_TYPE).send(told);
}

function checked(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  const parsed = schema?.safeParse(value);
  if (parsed === undefined || parsed.success) return parsed?.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.join('.'),
    message,
  }));
  throw new Refusal('invalid_request', sentence(where, issues), issues);
}

function sentence(where: string, issues: readonly Issue[]): string {
  const shown = issues
    .slice(0, 3)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length > shown.length ? ` (and ${issues.length - shown.length} more)` : '';
  return `The ${where} is not as documented: ${shown.join('; ')}${more}.`;
}
