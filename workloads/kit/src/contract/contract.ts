import type { ZodType } from 'zod';
import type { Access } from './access.ts';

/**
 * A route as data: the server registers it, the client calls it, the documentation lists it. Nothing
 * else in the project says what a route takes or gives.
 */
export interface Contract {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `:name` for each of `params`. */
  readonly path: `/${string}`;
  /** One sentence for people. */
  readonly summary: string;
  /** Who may call it. */
  readonly access: Access;
  /** True: it acts on all tenants at once, or shows what is theirs together, so that nobody of one tenant may call it. */
  readonly wide?: true;
  /** What the audit log keeps of a call; on every route that acts on what others have made. */
  readonly audit?: Audit;
  readonly params?: ZodType;
  readonly query?: ZodType;
  readonly body?: ZodType;
  /** The body may have as much as MILLRACE_GENERATE_LIMIT says; left out, 2 MiB. */
  readonly large?: true;
  readonly response: ZodType;
  /** The statuses whose body is `response`, the usual one first. Any other status is a problem. */
  readonly statuses: readonly [number, ...number[]];
  /**
   * What the answer is made of; JSON where it is left out. `response` then is one event, or the text. Bytes have a type of
   * their own.
   */
  readonly media?: 'text/event-stream' | 'text/html' | 'text/plain' | 'application/octet-stream';
  /** The types of body that are taken as they are, byte by byte, instead of JSON. */
  readonly upload?: readonly [string, ...string[]];
  /** What this route can refuse beside what every route like it can, which api/src/openapi/problems.ts knows. */
  readonly errors?: readonly string[];
  /** One call with its answer, for the documentation. A test holds it against the schemas. */
  readonly example: Example;
}

export interface Audit {
  /** The parameter that names what it acts on; left out, it is the replica that answers, or what the filter selects. */
  readonly target?: string;
  /** Only a hash of the target is kept: the log must not keep the very name that was to be forgotten. */
  readonly hashed?: true;
  /** The body selects what it acts on, and is kept. */
  readonly filter?: true;
  /** It changes nothing, such as a download: written once, with its outcome, and not before and after. */
  readonly once?: true;
  /** How many it changed: one, or the sum of these members of the answer. Of a list, its length counts. */
  readonly count?: 1 | readonly string[];
}

export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** With the first of `statuses`. */
  readonly response: unknown;
}
