import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Topic } from '@millrace/api';
import type { Clock } from '@millrace/engine';
import { type StreamFilter, topicsOf } from './filter.ts';
import { type Frame, MORE, joined } from './frames.ts';

/**
 * One reader. What it is sent before it has begun is held, so that nothing that changes while the present state is read
 * gets lost. Afterwards it lies in the socket, within a limit: a reader who is slower than that is dropped.
 */
export interface Stream {
  readonly filter: StreamFilter;
  readonly topics: ReadonlySet<Topic>;
  /** The boards that the stream was last sent; null until it has begun. */
  board: readonly Frame[] | null;
  isOpen(): boolean;
  send(frame: Frame): void;
  /** Sends the head of the answer, the present state and what was held, at the reader's pace. */
  begin(present: readonly Frame[]): Promise<void>;
  /** Before it has begun: the request is answered with an error instead. */
  discard(): void;
  /** Drops it if nothing has left its socket for too long. */
  check(): void;
  end(comment: Frame): void;
  destroy(): void;
}

const MOST_UNSENT_BYTES = 256 * 1_024;
const DRAIN_WITHIN_MS = 30_000;

export function createStream(params: {
  response: ServerResponse;
  headers: OutgoingHttpHeaders;
  filter: StreamFilter;
  clock: Clock;
  onDropped: (why: string) => void;
  onClosed: () => void;
}): Stream {
  const { response, headers, filter, clock, onDropped, onClosed } = params;
  let drainedAt = clock.now();
  let wake: (hasRoom: boolean) => void = () => {};
  let fresh = 0;
  const settle = (): void => {
    fresh = 0;
  };
  /** Null once all of it is on its way. */
  let held: Frame[] | null = [];
  let heldBytes = 0;
  let hasBegun = false;
  let farewell: Frame | null = null;
  let isClosed = false;

  // A socket may fail at any time, and an unhandled error would end the process; `close` follows, and is all there is
  // to know.
  response.on('error', () => {});
  response.on('drain', () => {
    drainedAt = clock.now();
    wake(true);
  });
  response.once('close', close);

  const isOpen = (): boolean => !isClosed && !response.destroyed && !response.writableEnded;

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    wake(false);
    onClosed();
  }

  function drop(why: string): void {
    response.destroy();
    onDropped(why);
  }

  /** Beyond the limit only `more` is held, or the last of the one job that is watched: each event is its whole state. */
  function hold(frames: Frame[], frame: Frame): void {
    heldBytes += frame.length;
    if (heldBytes > MOST_UNSENT_BYTES) {
      frames.length = 0;
      heldBytes = 0;
      stream.board &&= [];
      frame = filter.id === undefined ? MORE : frame;
    }
    frames.push(frame);
  }

  /** For more than a moment's worth: resolves when there is room again; false when the reader has gone. */
  async function write(frames: readonly Frame[]): Promise<boolean> {
    for (const piece of joined(frames)) {
      if (!isOpen()) return false;
      if (response.write(piece)) continue;
      const hasRoom = await new Promise<boolean>((resolve) => {
        wake = resolve;
      });
      if (!hasRoom) return false;
    }
    return isOpen();
  }

  const stream: Stream = {
    filter,
    topics: topicsOf(filter),
    board: null,
    isOpen,
    send(frame) {
      if (!isOpen()) return;
      if (held !== null) return hold(held, frame);
      // What is written in one turn leaves together at its end: before that it says nothing about the reader.
      if (response.writableLength - fresh > MOST_UNSENT_BYTES) {
        return drop(`Its reader is more than ${MOST_UNSENT_BYTES / 1_024} KiB behind.`);
      }
      response.write(frame);
      if (fresh === 0) process.nextTick(settle);
      fresh += frame.length;
    },
    async begin(present) {
      // Its reader may have gone before anybody listened.
      if (!isOpen()) return close();
      hasBegun = true;
      response.writeHead(200, headers);
      if (farewell !== null) return void response.end(farewell);
      if (!(await write(present))) return;
      while (held !== null && held.length > 0) {
        const frames = held;
        held = [];
        heldBytes = 0;
        if (!(await write(frames))) return;
      }
      held = null;
    },
    discard: close,
    check() {
      if (response.destroyed) return;
      if (response.writableLength === 0) drainedAt = clock.now();
      else if (clock.now() - drainedAt >= DRAIN_WITHIN_MS) {
        drop(`Its reader has taken nothing for ${DRAIN_WITHIN_MS / 1_000} s.`);
      }
    },
    end(comment) {
      if (!isOpen()) return;
      if (hasBegun) response.end(comment);
      else farewell = comment;
    },
    destroy: () => void response.destroy(),
  };
  return stream;
}
