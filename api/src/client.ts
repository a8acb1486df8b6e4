import { type Contract } from '@millrace/workload-kit/contract';
import type { ZodType, z } from 'zod';
import type { AnyInput, CallOptions } from './call.ts';
import { type Open, stream } from './event-stream.ts';
import { type Contracts, type RouteName, contracts } from './contracts.ts';
import { type Problem, problem, problemOf } from './problem.ts';

const BYTES = 'application/octet-stream';

/** One method per route: `client.getJob({ params: { id: 'pg-42' } })`. */
export type Client = { readonly [Name in RouteName]: Method<Contracts[Name]> };

export type Method<C extends Contract> = (
  ...args: object extends CallInput<C>
    ? [input?: CallInput<C>, options?: CallOptions]
    : [input: CallInput<C>, options?: CallOptions]
) => C extends { readonly media: 'text/event-stream' }
  ? AsyncIterable<z.output<C['response']>>
  : C extends { readonly media: 'application/octet-stream' }
    ? Promise<Response>
    : Promise<z.output<C['response']>>;

export type CallInput<C extends Contract> = Part<C, 'params'> &
  Part<C, 'query'> &
  Part<C, 'body'> &
  Upload<C>;

/** Bytes that go as they are. */
type Upload<C> = C extends { readonly upload: readonly (infer Type)[] }
  ? { readonly upload: { readonly type: Type; readonly bytes: NonNullable<RequestInit['body']> } }
  : unknown;

/** Needed where the schema needs something; optional where everything in it is. */
type Part<C, Name extends string> = C extends { readonly [N in Name]: infer S extends ZodType }
  ? object extends NonNullable<z.input<S>>
    ? { readonly [N in Name]?: z.input<S> }
    : { readonly [N in Name]: z.input<S> }
  : unknown;

export interface ClientConfig {
  /** Such as `http://127.0.0.1:3000`; a path in it is kept. */
  readonly baseUrl: string;
  /** Asked before each call, so that it can be renewed; null where there is none. */
  readonly token?: () => Promise<string | null>;
  readonly fetch?: typeof globalThis.fetch;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The service said no. What goes wrong before it can answer (no connection) is fetch's own error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly problem: Problem;
  constructor(body: Problem) {
    super(body.detail);
    this.problem = body;
  }
}

export function createClient(config: ClientConfig): Client {
  const methods = Object.entries(contracts).map(([name, contract]) => [
    name,
    (input: AnyInput = {}, options: CallOptions = {}) =>
      'media' in contract && contract.media === 'text/event-stream'
        ? stream({ contract, input, options, open: openerOf(config) })
        : call(config, contract, input, options),
  ]);
  return Object.fromEntries(methods) as Client;
}

async function call(
  config: ClientConfig,
  contract: Contract,
  input: AnyInput,
  options: CallOptions,
): Promise<unknown> {
  const response = await send(config, contract, input, options);
  if (contract.media === BYTES && contract.statuses.includes(response.status)) return response;
  const text = await response.text();
  if (contract.statuses.includes(response.status)) {
    const parsed = contract.response.safeParse(contract.media ? text : jsonOf(text));
    if (parsed.success) return parsed.data;
  }
  throw refusalOf(response, text);
}

async function send(
  config: ClientConfig,
  contract: Contract,
  input: AnyInput,
  options: CallOptions,
): Promise<Response> {
  const token = await config.token?.();
  const { body, upload } = input;
  return (config.fetch ?? globalThis.fetch)(urlOf(config.baseUrl, contract.path, input), {
    method: contract.method,
    headers: {
      accept: contract.media === BYTES ? '*/*' : (contract.media ?? 'application/json'),
      ...(token != null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(upload !== undefined && { 'content-type': upload.type }),
      ...config.headers,
      ...options.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A stream can only be sent while nothing is read.
    ...(upload !== undefined && { body: upload.bytes, duplex: 'half' }),
    ...(options.signal && { signal: options.signal }),
  });
}

/** A stream's answer once it is known to be one. */
function openerOf(config: ClientConfig): Open {
  return async (contract, input, options) => {
    const response = await send(config, contract, input, options);
    if (response.status === 200 && response.body !== null) return response.body;
    throw refusalOf(response, await response.text());
  };
}

function refusalOf(response: Response, text: string): ApiError {
  const told = problem.safeParse(jsonOf(text));
  return new ApiError(told.success ? told.data : notOurs(response));
}

function urlOf(baseUrl: string, path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => segment(params[name]));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const asked = search.size === 0 ? '' : `?${search.toString()}`;
  return `${baseUrl.replace(/\/+$/, '')}${filled}${asked}`;
}

/** A URL drops the segments "." and "..", however they are escaped: they would name another route. */
function segment(value: string | undefined): string {
  if (value === undefined || value === '' || value === '.' || value === '..') {
    throw new ApiError(
      problemOf('invalid_request', `"${value ?? ''}" cannot be part of a URL.`, ''),
    );
  }
  return encodeURIComponent(value);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notOurs(response: Response): Problem {
  const detail = `${response.url || 'The address'} answered ${response.status} with something that is not of this API. Does the address belong to Millrace, in the same version?`;
  const correlationId = response.headers.get('x-correlation-id') ?? '';
  return { ...problemOf('unexpected_answer', detail, correlationId), status: response.status };
}
