import type { Contract, Contracts, RouteName } from '@millrace/api';
import type { Log, Queue, Registry, Store, Worker } from '@millrace/engine';
import type { z } from 'zod';
import type { Config } from './config.ts';
import type { Logger } from './log.ts';

/** What the routes stand on. */
export interface AppParts {
  readonly queue: Queue;
  readonly store: Store;
  /** Null in a process that only serves the API. */
  readonly worker: Worker | null;
  readonly registry: Registry;
  readonly config: Pick<Config, 'host' | 'role' | 'webhook'>;
  readonly log: Logger;
  /** True once the process was told to stop. */
  readonly isStopping?: () => boolean;
}

/** A contract's other half: what it takes has been checked, what it gives is checked by the compiler. */
export type Handler<C extends Contract> = (call: {
  readonly params: Parsed<C, 'params'>;
  readonly query: Parsed<C, 'query'>;
  readonly body: Parsed<C, 'body'>;
  readonly correlationId: string;
  readonly log: Log;
}) => Promise<Answer<C>>;

export interface Answer<C extends Contract> {
  readonly status: C['statuses'][number];
  readonly body: z.input<C['response']>;
}

type Parsed<C, Name extends string> = C extends { readonly [N in Name]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

export type Handlers<Names extends RouteName = RouteName> = {
  readonly [Name in Names]: Handler<Contracts[Name]>;
};

export function ok<Body>(body: Body): { readonly status: 200; readonly body: Body } {
  return { status: 200, body };
}
