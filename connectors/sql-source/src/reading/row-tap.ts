import type pg from 'pg';

/**
 * COPY sends a message for each row. The pg package makes an object of each and hands it through four calls: 0.18 s of a
 * million rows (docs/decisions/0026-reports.md). Here the rows of a COPY are taken out of what arrives, and all other messages go to the
 * pg package as they are.
 */
export interface RowTap {
  /** Null: rows go the usual way too. */
  reader: RowReader | null;
}

export interface RowReader {
  /** Some bytes of a row: they are the socket's, and gone after the call. */
  part(from: Buffer, start: number, end: number): void;
  endRow(): void;
}

type Listener = (bytes: Buffer) => void;

/** The part of a stream that a parser uses. */
interface Arriving {
  on(event: string, listener: (...args: never[]) => void): unknown;
}
interface Attaching {
  attachListeners?(this: unknown, stream: Arriving): unknown;
}

const taps = new WeakMap<pg.Client, RowTap>();

/** Before the client connects, so that it sees where the first message begins. */
export function tapRows(client: pg.Client): void {
  const connection = client.connection as unknown as Attaching;
  const attach = connection.attachListeners;
  // A later pg package may have another way: rows come as messages then, and only slower.
  if (attach === undefined) return;
  const tap: RowTap = { reader: null };
  taps.set(client, tap);
  connection.attachListeners = function attached(stream) {
    return attach.call(this, tapped(stream, tap));
  };
}

export function tapOf(client: pg.Client): RowTap | undefined {
  return taps.get(client);
}

function tapped(stream: Arriving, tap: RowTap): Arriving {
  return {
    on: (event, listener) =>
      stream.on(event, event === 'data' ? withoutRows(tap, listener as Listener) : listener),
  };
}

const COPY_DATA = 0x64;
const LENGTH_BYTES = 4;

/** A message is its type, its length in four bytes, these four included, and what it says; any of it may come in several pieces. */
export function withoutRows(tap: RowTap, pass: Listener): Listener {
  /** The bytes that are still to come of the message under way, its length and its content. */
  let lengthLeft = 0;
  let left = 0;
  /** The reader of the row that is under way; null: another message is. */
  let reader: RowReader | null = null;

  return (bytes) => {
    const size = bytes.length;
    let at = 0;
    /** From here on, bytes are still to be passed; -1: none. */
    let passFrom = reader === null ? 0 : -1;
    while (at < size) {
      if (lengthLeft === 0 && left === 0) {
        reader = bytes[at] === COPY_DATA ? tap.reader : null;
        if (reader === null) {
          if (passFrom === -1) passFrom = at;
        } else if (passFrom !== -1) {
          if (at > passFrom) pass(bytes.subarray(passFrom, at));
          passFrom = -1;
        }
        at += 1;
        lengthLeft = LENGTH_BYTES;
        if (at + LENGTH_BYTES > size) continue;
        left = bytes.readInt32BE(at) - LENGTH_BYTES;
        at += LENGTH_BYTES;
        lengthLeft = 0;
      } else if (lengthLeft > 0) {
        left = left * 256 + (bytes[at] ?? 0);
        at += 1;
        lengthLeft -= 1;
        if (lengthLeft > 0) continue;
        left -= LENGTH_BYTES;
      }
      const end = Math.min(at + left, size);
      left -= end - at;
      if (reader !== null) {
        if (end > at) reader.part(bytes, at, end);
        if (left === 0) {
          reader.endRow();
          reader = null;
        }
      }
      at = end;
    }
    if (passFrom !== -1) pass(bytes.subarray(passFrom));
  };
}
