import { Readable } from 'node:stream';
import {
  type Contract,
  type Issue,
  PROBLEM_TYPE,
  type Problem,
  type RouteName,
} from '@millrace/api';
import { Refusal as AnyRefusal, type WorkloadProblem } from '@millrace/workload-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Admit, Admitted } from './admit.ts';
import { CORRELATION_HEADER } from './correlation.ts';
import type { AdmittedCall, AdmittedHandler, Upload } from './handler.ts';
import type { Caller } from '../identity/caller.ts';
import type { JsonBodies } from './json-bodies.ts';
import { NOTHING } from '../identity/scope.ts';
import { toProblem } from './problems.ts';
import { Refusal, isOnPurpose } from './refusal.ts';
import { createAccessTrace } from './access-trace.ts';

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null;
    caller: Caller | null;
    /** Why it was refused, once it was. */
    refusal: string | null;
    /** Our own error, for the request's line in the log. */
    failure: { readonly err: unknown } | null;
  }
}

/** Nobody wants the head of a stream alone, and it would never end. How long one lasts says nothing of the service. */
export const LASTING = { exposeHeadRoute: false, config: { stream: true } } as const;

/** A contract and its handler become a route: find the caller, check what came in, call, answer. */
export function register(
  app: FastifyInstance,
  name: RouteName,
  contract: Contract,
  admit: Admit,
  handler: AdmittedHandler,
  json: { readonly bodies: JsonBodies; readonly bodyLimit?: number } | null = null,
): void {
  const { method, path: url, media } = contract;
  app.route({
    method,
    url,
    ...(media === 'text/event-stream' && LASTING),
    ...(json?.bodyLimit !== undefined && { bodyLimit: json.bodyLimit }),
    async onRequest(request, reply) {
      request.admitted = await admit(name, request);
      if (contract.body !== undefined) json?.bodies.admit(request, reply);
    },
    async handler(request, reply) {
      const { status, body, headers, bytes } = await handler(callOf(contract, request, reply));
      if (media?.startsWith('text/') === true) reply.type(`${media}; charset=utf-8`);
      return reply
        .code(status)
        .headers({ ...headers })
        .send(bytes === undefined ? body : sendable(bytes));
    },
  });
}

/** The same for a route that takes bytes: in a scope of its own, where nothing reads the body before the handler. */
export function registerUpload(
  app: FastifyInstance,
  name: RouteName,
  contract: Contract,
  admit: Admit,
  handler: AdmittedHandler,
): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    for (const type of contract.upload ?? [])
      scope.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
    scope.addContentTypeParser('*', (request, _payload, done) =>
      done(unsupported(contract.upload ?? [], request.headers['content-type'])),
    );
    register(scope, name, contract, admit, handler);
  });
}

function unsupported(types: readonly string[], given: string | undefined): Refusal {
  const said = given === undefined ? 'There is no content-type' : `The content-type is ${given}`;
  return new Refusal('unsupported_media_type', `${said}; this takes ${types.join(', ')}.`);
}

/** The parts of a request that its contract declares, parsed. */
export function callOf(
  contract: Contract,
  request: FastifyRequest,
  reply: FastifyReply,
): AdmittedCall {
  const { upload } = contract;
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return {
    headers: request.headers,
    signal: gone.signal,
    upload: upload === undefined ? null : uploadOf(request),
    params: checked(contract.params, textOnly(request.params, 'path'), 'path') as undefined,
    query: checked(contract.query, textOnly(request.query, 'query'), 'query') as undefined,
    body: checked(contract.body, textOnly(request.body, 'body'), 'body') as undefined,
    caller: request.caller,
    scope: request.admitted?.scope ?? NOTHING,
    accessTrace: request.admitted?.accessTrace ?? createAccessTrace(),
    correlationId: request.id,
    log: request.log,
  };
}

/** On these routes the body has not been read: it is the stream itself. */
function uploadOf(request: FastifyRequest): Upload {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  const body = request.body as Readable | undefined;
  if (body === undefined) {
    throw new Refusal(
      'invalid_request',
      'The request has no body. Send the bytes with their content-type.',
    );
  }
  // Whoever stops reading refuses: the connection has to live for the answer (`createTurnServer` reads the rest).
  const bytes = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  return { type: type.trim().toLowerCase(), bytes };
}

function sendable(bytes: Uint8Array | AsyncIterable<Uint8Array>): Buffer | Readable {
  return bytes instanceof Uint8Array
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : Readable.from(bytes, { objectMode: false });
}

/** A store or an issuer that is away, a quota that is used up: worth asking again after so long. */
const RETRY_AFTER_SECONDS = 5;

/** Whatever was thrown, from the router to the store. */
export function answerProblem(ofWorkloads: (thrown: unknown) => WorkloadProblem | null) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void =>
    answer(toProblem(thrown, request.id, ofWorkloads), thrown, request, reply);
}

function answer(
  told: Problem,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  request.refusal = told.code;
  if (told.status >= 500 && !isOnPurpose(told.code)) request.failure = { err: thrown };
  // A malformed URL never reaches the hook that sets the correlation id.
  reply.header(CORRELATION_HEADER, request.id);
  if (told.status === 401) reply.header('www-authenticate', 'Bearer realm="millrace"');
  if (told.status === 429 || told.status === 503) {
    const known = thrown instanceof AnyRefusal ? thrown.retryAfterSeconds : undefined;
    reply.header('retry-after', String(known ?? RETRY_AFTER_SECONDS));
  }
  reply.code(told.status).type(PROBLEM_TYPE).send(told);
}

/**
 * No store keeps a NUL character or half of a surrogate pair, so nothing can be found by one. What a job is given lies
 * deeper in a body, and is checked where it is kept; a filter is looked through here wherever it stands.
 */
function textOnly(values: unknown, where: string): unknown {
  const issues = unkeepable(values).map((path) => ({
    path,
    message: 'has a character that no text has (%00, say)',
  }));
  if (issues.length === 0) return values;
  throw new Refusal('invalid_request', sentence(where, issues), { issues });
}

function unkeepable(values: unknown): string[] {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return [];
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    name === 'filter'
      ? unkeepable(value).map((path) => `filter.${path}`)
      : [value].flat().every(isText)
        ? []
        : [name],
  );
}

function isText(value: unknown): boolean {
  return typeof value !== 'string' || (!value.includes('\u0000') && value.isWellFormed());
}

function checked(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  const parsed = schema?.safeParse(value);
  if (parsed === undefined || parsed.success) return parsed?.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.join('.'),
    message,
  }));
  throw new Refusal('invalid_request', sentence(where, issues), { issues });
}

function sentence(where: string, issues: readonly Issue[]): string {
  const shown = issues
    .slice(0, 3)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length > shown.length ? ` (and ${issues.length - shown.length} more)` : '';
  return `The ${where} is not as documented: ${shown.join('; ')}${more}.`;
}
