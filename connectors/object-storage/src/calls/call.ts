import {
  type Answer,
  type HttpError,
  type Sleep,
  type Wire,
  type WireRequest,
  createDeadline,
  isTransient,
  pauseMs,
  scrub,
  withRetries,
} from '@millrace/http';
import { ObjectStorageError } from '../errors.ts';
import type { CallOptions, CallReport } from '../types.ts';
import type { Address } from './address.ts';
import { readRefusal } from './read.ts';

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
  readonly now: number;
}

export interface CallerParams {
  readonly address: Address;
  /** Asked for each attempt: a key or a token that was renewed is used at once. */
  readonly signer: () => Promise<Signer>;
  readonly wire: Wire;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly onCall: (report: CallReport) => void;
}

interface Way {
  status: number | null;
  attempts: number;
}

/** A few lines say enough. */
const LONGEST_MESSAGE = 600;

export function createCaller(parts: CallerParams): Caller {
  const { address, now } = parts;

  async function call<T>(asked: Call<T>): Promise<T> {
    const startedAt = now();
    const way: Way = { status: null, attempts: 0 };
    let errorCode: string | null = null;
    try {
      return await withRetries(() => attempt(asked, way), {
        pause: (error) => pauseBefore(error, way.attempts - 1),
        sleep: parts.sleep,
        signal: asked.options.signal,
      });
    } catch (error) {
      if (error instanceof ObjectStorageError) errorCode = error.code;
      throw error;
    } finally {
      parts.onCall({
        operation: asked.operation,
        status: way.status,
        repeats: Math.max(0, way.attempts - 1),
        errorCode,
        durationMs: now() - startedAt,
      });
    }
  }

  /**
   * Every operation may be sent again: a part, an object, a deletion come out the same; a second upload that nobody knows of is
   * swept; a Complete that was done is refused by its condition, and its caller looks.
   */
  function pauseBefore(error: HttpError, repeats: number): number | null {
    return isTransient(error, true) ? pauseMs(repeats, parts.random, error) : null;
  }

  async function attempt<T>(asked: Call<T>, way: Way): Promise<T> {
    way.status = null;
    way.attempts += 1;
    const signer = await parts.signer();
    const request = await requestOf(asked, signer);
    const deadline = createDeadline({
      ms: asked.timeoutMs ?? parts.timeoutMs,
      signal: asked.options.signal,
      idle: true,
    });
    const context: Context = { now: now() };
    try {
      const answer = await parts.wire.send(request, deadline);
      way.status = answer.status;
      if (answer.status >= 200 && answer.status < 300) return await asked.read(answer, context);
      throw await readRefusal(answer, context);
    } catch (error) {
      deadline.clear();
      throw error instanceof ObjectStorageError ? scrubbed(error, signer.secrets) : error;
    }
  }

  async function requestOf<T>(
    { method, key, query = {}, headers = {}, body = [] }: Call<T>,
    signer: Signer,
  ): Promise<WireRequest> {
    const path = `${address.path(key)}${queryOf(query)}`;
    const { origin } = address;
    const unsigned = { method, url: `${origin}${path}`, headers, body };
    const size = body.reduce((sum, bytes) => sum + bytes.length, 0);
    const withBody = method === 'PUT' || method === 'POST';
    return {
      origin,
      method,
      path,
      headers: {
        ...(await signer.headers(unsigned, now())),
        ...(withBody && { 'content-length': String(size) }),
      },
      body: size > 0 ? body : null,
    };
  }

  return { address, call };
}

/** A storage may quote what it was sent. */
function scrubbed(error: ObjectStorageError, secrets: readonly string[]): ObjectStorageError {
  const message = scrub(error.message, secrets, LONGEST_MESSAGE);
  return message === error.message ? error : error.with({ message });
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
