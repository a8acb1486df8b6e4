import { ApiError } from '../errors.ts';
import type { Work } from '../data/transaction.ts';
import type { Caller, Org } from '../org.ts';

/** A request of the REST API, be it a real one or one inside a composite. */
export interface RestRequest {
  readonly method: string;
  /** `v64.0`. */
  readonly version: string;
  /** The path after the version, `['sobjects', 'Account', '001…']`. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** In small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed when it is asked for. */
  body(): unknown;
  /** Inside a composite, where files cannot be downloaded. */
  readonly isNested: boolean;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Left out: there is none. */
  readonly body?: unknown;
}

export interface Leaf {
  readonly org: Org;
  readonly caller: Caller;
  readonly work: Work;
  readonly request: RestRequest;
}

/** Whatever happens in it is one transaction. */
export type LeafHandler = (leaf: Leaf) => Promise<Reply>;

export function methodNotAllowed(method: string, allowed: readonly string[]): ApiError {
  return new ApiError(
    'METHOD_NOT_ALLOWED',
    `HTTP Method '${method}' not allowed. Allowed are ${allowed.join(',')}`,
  );
}

/** The body as an object with names. */
export function objectBody(request: RestRequest): Readonly<Record<string, unknown>> {
  const body = request.body();
  if (isObject(body)) return body;
  throw new ApiError('JSON_PARSER_ERROR', 'The request body must be a JSON object.');
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `/services/data/v64.0/sobjects/X?y=z` in its parts. Null: it is no address of the REST API. */
export function parseAddress(
  address: string,
): Pick<RestRequest, 'version' | 'segments' | 'query'> | null {
  const [path = '', ...search] = address.split('?');
  const match = /^\/services\/data\/(v\d{2}\.\d)(?:\/(.*))?$/.exec(path);
  if (match === null) return null;
  const segments = (match[2] ?? '').split('/').filter((segment) => segment !== '');
  try {
    return {
      version: match[1] ?? '',
      segments: segments.map(decodeURIComponent),
      query: new URLSearchParams(search.join('?')),
    };
  } catch {
    return null;
  }
}
