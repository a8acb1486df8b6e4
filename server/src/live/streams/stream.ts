import type { ServerResponse } from 'node:http';
import type { Topic } from '@millrace/api';
import type { Clock } from '@millrace/engine';
import { type StreamFilter, topicsOf } from './filter.ts';
import type { Frame } from './frames.ts';

/** One reader. What it is sent lies in its socket, within a limit: a reader who is slower than that is dropped. */
export interface Stream {
  readonly filter: StreamFilter;
  readonly topics: ReadonlySet<Topic>;
  /** The boards that the stream was last sent. */
  board: readonly Frame[];
  isOpen(): boolean;
  send(frame: Frame): void;
  /** For more than a moment's worth: resolves when there is room again; false when the reader has gone. */
  write(frame: Frame): Promise<boolean>;
  /** Drops it if nothing has left its socket for too long. */
  check(): void;
  end(comment: Frame): void;
  destroy(): void;
}

const MOST_UNSENT_BYTES = 256 * 1_024;
const DRAIN_WITHIN_MS = 30_000;

export function createStream(params: {
  response: ServerResponse;
  filter: StreamFilter;
  clock: Clock;
  onDropped: (why: string) => void;
  onClosed: () => void;
}): Stream {
  const { response, filter, clock, onDropped, onClosed } = params;
  let drainedAt = clock.now();
  let wake: (hasRoom: boolean) => void = () => {};
  let fresh = 0;
  const settle = (): void => {
    fresh = 0;
  };

  // A socket may fail at any time, and an unhandled error would end the process; `close` follows, and is all there is
  // to know.
  response.on('error', () => {});
  response.on('drain', () => {
    drainedAt = clock.now();
    wake(true);
  });
  response.once('close', () => {
    wake(false);
    onClosed();
  });

  const isOpen = (): boolean => !response.destroyed && !response.writableEnded;

  function drop(why: string): void {
    response.destroy();
    onDropped(why);
  }

  return {
    filter,
    topics: topicsOf(filter),
    board: [],
    isOpen,
    send(frame) {
      if (!isOpen()) return;
      // What is written in one turn leaves together at its end: before that it says nothing about the reader.
      if (response.writableLength - fresh > MOST_UNSENT_BYTES) {
        return drop(`Its reader is more than ${MOST_UNSENT_BYTES / 1_024} KiB behind.`);
      }
      response.write(frame);
      if (fresh === 0) process.nextTick(settle);
      fresh += frame.length;
    },
    async write(frame) {
      if (!isOpen()) return false;
      if (response.write(frame)) return true;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    check() {
      if (response.destroyed) return;
      if (response.writableLength === 0) drainedAt = clock.now();
      else if (clock.now() - drainedAt >= DRAIN_WITHIN_MS) {
        drop(`Its reader has taken nothing for ${DRAIN_WITHIN_MS / 1_000} s.`);
      }
    },
    end(comment) {
      if (isOpen()) response.end(comment);
    },
    destroy: () => void response.destroy(),
  };
}
