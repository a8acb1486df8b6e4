import { ObjectStorageError } from '../errors.ts';
import type { CallOptions, CallReport } from '../types.ts';
import type { Address } from './address.ts';
import { type Deadline, createDeadline } from './deadline.ts';
import { readRefusal } from './read.ts';
import { pauseMs } from './retry.ts';
import { scrubbed } from './scrub.ts';
import type { Answer, Wire } from './wire.ts';

/** Who asks, for one attempt. */
export interface Signer {
  /** The request's headers with those that say who asks. */
  headers(request: Unsigned, now: number): Promise<Record<string, string>>;
  /** What no message may repeat. */
  readonly secrets: readonly string[];
}

export interface Unsigned {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
}

/** The way of a call: signed, sent, read; sent again where that may help; reported, however it ended. */
export interface Caller {
  readonly address: Address;
  call<T>(call: Call<T>): Promise<T>;
}

export interface Call<T> {
  /** As in CallReport. */
  readonly operation: string;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Null: the bucket. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: readonly Uint8Array[];
  readonly options: CallOptions;
  /** How long nothing may move; of the configuration otherwise. */
  readonly timeoutMs?: number;
  /** Of an answer from 200 to 299. */
  read(answer: Answer, context: Context): Promise<T>;
}

export interface Context {
  readonly deadline: Deadline;
  readonly now: number;
  /** The answer is read after the call: whoever reads it clears the deadline. */
  keep(): void;
}

export interface CallerParams {
  readonly address: Address;
  /** Asked for each attempt: a key or a token that was renewed is used at once. */
  readonly signer: () => Promise<Signer>;
  readonly wire: Wire;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly onCall: (report: CallReport) => void;
}

interface Way {
  status: number | null;
  repeats: number;
}

export function createCaller(parts: CallerParams): Caller {
  const { address, now } = parts;

  async function call<T>(asked: Call<T>): Promise<T> {
    const startedAt = now();
    const way: Way = { status: null, repeats: 0 };
    let errorCode: string | null = null;
    try {
      for (;;) {
        try {
          return await attempt(asked, way);
        } catch (error) {
          if (!(error instanceof ObjectStorageError)) throw error;
          errorCode = error.code;
          if (!(await goesOn(asked, way, error))) throw error;
          errorCode = null;
        }
      }
    } finally {
      const { operation } = asked;
      parts.onCall({ operation, ...way, errorCode, durationMs: now() - startedAt });
    }
  }

  async function goesOn<T>(asked: Call<T>, way: Way, error: ObjectStorageError): Promise<boolean> {
    const pause = pauseMs(error, way.repeats, parts.random);
    if (pause === null) return false;
    try {
      await parts.sleep(pause, asked.options.signal);
    } catch {
      // The caller gave up during the pause: the error before it is reported.
      return false;
    }
    way.repeats += 1;
    return true;
  }

  async function attempt<T>(asked: Call<T>, way: Way): Promise<T> {
    way.status = null;
    const signer = await parts.signer();
    const request = await requestOf(asked, signer);
    const deadline = createDeadline(asked.timeoutMs ?? parts.timeoutMs, asked.options.signal);
    let isKept = false;
    const context: Context = {
      deadline,
      now: now(),
      keep() {
        isKept = true;
      },
    };
    try {
      const answer = await parts.wire.send(request, deadline);
      way.status = answer.status;
      if (answer.status >= 200 && answer.status < 300) return await asked.read(answer, context);
      throw await readRefusal(answer, context);
    } catch (error) {
      isKept = false;
      throw error instanceof ObjectStorageError ? scrubbed(error, signer.secrets) : error;
    } finally {
      if (!isKept) deadline.clear();
    }
  }

  async function requestOf<T>(
    { method, key, query = {}, headers = {}, body = [] }: Call<T>,
    signer: Signer,
  ) {
    const path = `${address.path(key)}${queryOf(query)}`;
    const { origin } = address;
    const unsigned = { method, url: `${origin}${path}`, headers, body };
    return {
      origin,
      method,
      path,
      headers: await signer.headers(unsigned, now()),
      body,
    };
  }

  return { address, call };
}

/** As the signer encodes it: what is sent and what is signed must not differ by a plus sign. */
function queryOf(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
