import type { ZodType } from 'zod';

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
  readonly params?: ZodType;
  readonly query?: ZodType;
  readonly body?: ZodType;
  readonly response: ZodType;
  /** The statuses whose body is `response`, the usual one first. Any other status is a problem. */
  readonly statuses: readonly [number, ...number[]];
}
