import type { IncomingHttpHeaders } from 'node:http';
import type { Contract, Contracts, RouteName, SignIn } from '@millrace/api';
import type { Documents } from '@millrace/documents';
import type { Log, Queue, Registry, Schedule, Worker } from '@millrace/engine';
import type { AuditLog } from '@millrace/store-postgres';
import type { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { HealthCheck } from '../health.ts';
import type { Authenticate, Caller } from '../identity/caller.ts';
import type { Hub } from '../live/hub.ts';
import type { Logger } from '../log/log.ts';
import type { Org } from '../salesforce/orgs.ts';
import type { MainStore } from '../stores/parts.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** What the routes stand on. */
export interface AppParts {
  readonly queue: Queue;
  readonly store: MainStore;
  readonly audit: AuditLog;
  /** Null in a process that only serves the API. */
  readonly worker: Worker | null;
  readonly registry: Registry;
  /** Of the job files. */
  readonly schedules: readonly Schedule[];
  readonly config: Pick<Config, 'host' | 'role' | 'webhook' | 'rateLimit'>;
  /** The name of this process among the replicas. */
  readonly replica: string;
  readonly authenticate: Authenticate;
  /** Told to whoever wants to sign in. */
  readonly signIn: SignIn;
  readonly hub: Hub;
  /** Null where this process makes no documents. */
  readonly documents: Documents | null;
  /** The Salesforce orgs whose records are a queue. */
  readonly orgs: readonly Org[];
  readonly telemetry: Telemetry;
  readonly checks: readonly HealthCheck[];
  readonly log: Logger;
  /** True once the process was told to stop. */
  readonly isStopping: () => boolean;
}

/** What a handler is given: checked by the contract, asked by someone who may. */
export interface Call<C extends Contract = Contract> {
  readonly params: Parsed<C, 'params'>;
  readonly query: Parsed<C, 'query'>;
  readonly body: Parsed<C, 'body'>;
  /** Null on routes for anyone. */
  readonly caller: Caller | null;
  /** The body as it arrives, on routes that take bytes. */
  readonly upload: Upload | null;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  readonly correlationId: string;
  readonly log: Log;
}

export interface Upload {
  /** Without parameters such as a charset. */
  readonly type: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A contract's other half: what it takes has been checked, what it gives is checked by the compiler. */
export type Handler<C extends Contract> = (call: Call<C>) => Promise<Answer<C>>;

export interface Answer<C extends Contract> {
  readonly status: C['statuses'][number];
  readonly body: z.input<C['response']>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of `body`, as they are. */
  readonly bytes?: Uint8Array | AsyncIterable<Uint8Array>;
}

export type Parsed<C, Name extends string> = C extends {
  readonly [N in Name]: infer S extends z.ZodType;
}
  ? z.output<S>
  : undefined;

/** The stream of events is no answer that a handler could give: live/route.ts serves it. */
export type Answered = Exclude<RouteName, 'events'>;

export type Handlers<Names extends Answered = Answered> = {
  readonly [Name in Names]: Handler<Contracts[Name]>;
};

export function ok<Body>(body: Body): { readonly status: 200; readonly body: Body } {
  return { status: 200, body };
}
