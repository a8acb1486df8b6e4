import { type Contract } from '@millrace/workload-kit/contract';
import type { AnyInput, CallOptions } from './call.ts';
import { problem } from './problem.ts';

/** Opens the stream; throws an ApiError when it is refused. */
export type Open = (
  contract: Contract,
  input: AnyInput,
  options: CallOptions,
) => Promise<ReadableStream<Uint8Array>>;

export interface StreamParams {
  readonly contract: Contract;
  readonly input: AnyInput;
  readonly options: CallOptions;
  readonly open: Open;
  readonly timing?: Timing;
}

/** Runs `fire` once after `ms`; the returned function takes it back. */
export interface Timing {
  after(ms: number, fire: () => void): () => void;
  /** From 0 to 1. */
  random(): number;
}

/** The service says at least every 15 s that the line is alive. */
const SILENCE_MS = 45_000;
const RETRY_MS = { first: 1_000, most: 30_000 };

/**
 * Every event of the stream, for as long as someone reads. When the line breaks it is opened again, and the
 * present state comes first. It ends when the signal is aborted; it throws what a first call throws (no connection, a refusal), and later
 * only refusals that trying again does not change.
 */
export async function* stream(params: StreamParams): AsyncGenerator<unknown, void, void> {
  const { contract, options, timing = TIMING } = params;
  const { signal } = options;
  const isOver = (): boolean => signal?.aborted === true;
  const reader: Reader = { failures: 0, hasBegun: false };
  while (!isOver()) {
    try {
      for await (const data of connection(params, reader, timing)) {
        const event = contract.response.safeParse(jsonOf(data));
        // Event types of newer servers are ignored.
        if (event.success) yield event.data;
      }
    } catch (error) {
      if (isOver()) return;
      if (!reader.hasBegun || isFinal(error)) throw error;
    }
    options.onBreak?.();
    const most = Math.min(RETRY_MS.first * 2 ** reader.failures, RETRY_MS.most);
    reader.failures += 1;
    // Uneven, so that not everyone comes back at the same moment.
    await sleep(timing, most * (0.5 + timing.random() / 2), signal);
  }
}

/** State kept across reconnects. */
interface Reader {
  /** In a row. */
  failures: number;
  hasBegun: boolean;
}

/** One connection: gives the data of each event, and ends when the service ends it. */
async function* connection(
  { contract, input, options, open }: StreamParams,
  reader: Reader,
  timing: Timing,
): AsyncGenerator<string, void, void> {
  const cut = new AbortController();
  const onAbort = (): void => cut.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', onAbort);
  let bytes: ReadableStreamDefaultReader<Uint8Array> | null = null;
  try {
    const opening = open(contract, input, { ...options, signal: cut.signal });
    const body = await unlessSilent(opening, cut, timing);
    reader.hasBegun = true;
    const parser = createParser();
    bytes = body.getReader();
    for (;;) {
      const { done, value } = await unlessSilent(bytes.read(), cut, timing);
      if (done) return;
      for (const data of parser.push(value)) {
        reader.failures = 0;
        yield data;
      }
    }
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    // Whoever stops reading, or was not served: the line is not left open.
    cut.abort();
    bytes?.cancel().catch(() => {});
  }
}

/** A line can be dead without a word: if nothing comes for so long, it is cut. */
async function unlessSilent<T>(
  awaited: Promise<T>,
  cut: AbortController,
  timing: Timing,
): Promise<T> {
  let cancelTimer: () => void = () => {};
  const silence = new Promise<never>((_, reject) => {
    cancelTimer = timing.after(SILENCE_MS, () => {
      cut.abort();
      reject(new Error(`Nothing came for ${SILENCE_MS / 1_000} seconds.`));
    });
  });
  try {
    return await Promise.race([awaited, silence]);
  } finally {
    cancelTimer();
    // Cut off, it may fail later, and nobody waits any more.
    awaited.catch(() => {});
  }
}

/** The client's ApiError, by its problem: the client imports this file. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error) || !('problem' in error)) return false;
  return problem.safeParse(error.problem).data?.retryable === false;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sleep(timing: Timing, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancelTimer();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancelTimer = timing.after(ms, wake);
    signal?.addEventListener('abort', wake);
    if (signal?.aborted === true) wake();
  });
}

const TIMING: Timing = {
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

export interface Parser {
  /** The data of each event that is complete. */
  push(bytes: Uint8Array): string[];
}

/** No event of ours is nearly as long: it is another kind of answer, and would be kept in memory until it ends. */
const LONGEST = 4 * 1_024 * 1_024;

/** Server-Sent Events as the HTML standard has them, cut into chunks anywhere. */
export function createParser(): Parser {
  const decoder = new TextDecoder();
  let rest = '';
  const data: string[] = [];

  function takeLine(line: string): string[] {
    if (line === '') return data.length === 0 ? [] : [data.splice(0).join('\n')];
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    return [];
  }

  return {
    push(bytes) {
      rest += decoder.decode(bytes, { stream: true });
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST) throw new Error('The answer is no stream of events.');
      return lines.flatMap(takeLine);
    },
  };
}
