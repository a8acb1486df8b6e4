import type { ServerResponse } from 'node:http';
import type { Clock, JobId, Log } from '@millrace/engine';
import { CORRELATION_HEADER } from '../../http/correlation.ts';
import { type StreamFilter, watchedOf } from './filter.ts';
import { type Frame, commentFrame } from './frames.ts';
import { type Stream, createStream } from './stream.ts';

/** The streams of this replica, from the request to the end of the socket. */
export interface OpenStreams extends Iterable<Stream> {
  size(): number;
  /** How many were closed because their readers were too slow. */
  dropped(): number;
  /** Jobs that are watched one by one. */
  watched(): JobId[];
  /** Sends nothing yet. `onClosed` is called once, however the stream ends. */
  open(asked: Asked, onClosed: (stream: Stream) => void): Stream;
  /** Ends all of them. Resolves when the last is closed; a reader who does not take the end is not waited for. */
  end(comment: Frame): Promise<void>;
}

export interface Asked {
  readonly response: ServerResponse;
  readonly filter: StreamFilter;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  readonly correlationId: string;
  /** Sent along. */
  readonly headers?: Readonly<Record<string, string>>;
}

const END_WITHIN_MS = 1_000;

export function createOpenStreams(params: {
  clock: Clock;
  /** Milliseconds since 1970. */
  now: () => number;
  log: Log;
  onDropped: () => void;
}): OpenStreams {
  const { clock, now, log, onDropped } = params;
  const streams = new Set<Stream>();
  let dropped = 0;
  let onLastClosed: () => void = () => {};

  function open(asked: Asked, onClosed: (stream: Stream) => void): Stream {
    const { response, filter, expiresAt, correlationId, headers } = asked;
    const stream = createStream({
      response,
      headers: {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        [CORRELATION_HEADER]: correlationId,
      },
      filter,
      clock,
      onDropped(why) {
        dropped += 1;
        onDropped();
        log.warn({ correlationId }, `A live stream was closed. ${why}`);
      },
      onClosed() {
        expire();
        streams.delete(stream);
        onClosed(stream);
        if (streams.size === 0) onLastClosed();
      },
    });
    const expire =
      expiresAt === null
        ? () => {}
        : clock.after(Math.max(0, expiresAt - now()), () =>
            stream.end(commentFrame('The token has expired.')),
          );
    streams.add(stream);
    return stream;
  }

  return {
    size: () => streams.size,
    dropped: () => dropped,
    watched: () => watchedOf([...streams].map(({ filter }) => filter)),
    open,
    end(comment) {
      for (const stream of streams) stream.end(comment);
      if (streams.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const cancelTimer = clock.after(END_WITHIN_MS, () => {
          for (const stream of streams) stream.destroy();
        });
        onLastClosed = () => {
          cancelTimer();
          resolve();
        };
      });
    },
    [Symbol.iterator]: () => streams.values(),
  };
}
