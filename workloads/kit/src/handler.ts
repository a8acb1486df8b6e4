import type { IncomingHttpHeaders } from 'node:http';
import type { Log } from '@millrace/engine';
import type { z } from 'zod';
import type { Caller } from './caller.ts';
import type { Contract } from './contract/contract.ts';

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
  /** Of a route whose media type is text/event-stream: sent one by one instead of `body`, for as long as they come. */
  readonly events?: AsyncIterable<z.input<C['response']>>;
  /** Sent instead of `body`, as they are. */
  readonly bytes?: Uint8Array | AsyncIterable<Uint8Array>;
}

export type Parsed<C, Name extends string> = C extends {
  readonly [N in Name]: infer S extends z.ZodType;
}
  ? z.output<S>
  : undefined;

export type HandlersOf<Routes extends Readonly<Record<string, Contract>>> = {
  readonly [Name in keyof Routes]: Handler<Routes[Name]>;
};

export function ok<Body>(body: Body): { readonly status: 200; readonly body: Body } {
  return { status: 200, body };
}
