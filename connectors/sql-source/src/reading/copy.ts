import type pg from 'pg';
import type { SourceError } from '../errors.ts';
import { OWN } from '../errors.ts';
import type { CopiedRows, CopyFormat, Cut } from '../source.ts';
import { createBatches } from './batches.ts';
import { tapOf } from './row-tap.ts';

/** Batches that wait for their reader before the source is paused. */
const READ_AHEAD = 2;

const OPTIONS: Readonly<Record<CopyFormat, string>> = {
  csv: 'FORMAT csv',
  text: 'FORMAT text',
  // Nothing needs a quote then, an empty line neither: only what looks like NULL would be quoted, or has one of these.
  lines: String.raw`FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02', NULL E'\x03'`,
};

export const BEFORE_COPIED = 'COPY (';

export function copyText(sql: string, format: CopyFormat = 'csv'): string {
  // On a line of its own: the SQL may end with a comment.
  return `${BEFORE_COPIED}${sql}\n) TO STDOUT (${OPTIONS[format]})`;
}

export interface Copying {
  readonly text: string;
  /** A statement whose answer nobody reads, sent along: it costs no way to the source and back. */
  readonly before: { readonly text: string; readonly values: readonly string[] } | null;
}

export interface CopyReader {
  /** Starts the COPY; resolves at its end. */
  run(): Promise<void>;
  /** The next batch, or null at the end. */
  take(): Promise<CopiedRows | null>;
  /** `take` throws it, after the batches that are complete. */
  fail(error: SourceError): void;
  /** Whether the source waits for whoever takes. */
  isPaused(): boolean;
  /** Whether the source has said that this was all, or that it stopped. */
  isOver(): boolean;
}

/**
 * COPY TO STDOUT sends one message per row, and the pg package hands each to the statement that is under way. By the
 * extended protocol, which takes one statement and refuses several.
 */
export function createCopyReader(client: pg.Client, copy: Copying, cut: Cut): CopyReader {
  const batches = createBatches(cut, put);
  const tap = tapOf(client);
  const ready: CopiedRows[] = [];
  let isPaused = false;
  let end: { readonly error: SourceError | null } | null = null;
  let wake = (): void => {};

  function put(batch: CopiedRows): void {
    ready.push(batch);
    if (ready.length >= READ_AHEAD && !isPaused) {
      isPaused = true;
      client.connection.stream.pause();
    }
    wake();
  }

  function finish(error: SourceError | null): void {
    end ??= { error };
    wake();
  }

  return {
    run: () =>
      new Promise((resolve, reject) => {
        client.query({
          submit(connection) {
            if (tap !== undefined) tap.reader = batches;
            sendExtended(connection, copy);
          },
          handleCopyData({ chunk }: { chunk: Buffer }) {
            batches.part(chunk, 0, chunk.length);
            batches.endRow();
          },
          // The answer to what comes before the COPY.
          handleDataRow() {},
          handleCommandComplete() {},
          handleReadyForQuery() {
            if (tap !== undefined) tap.reader = null;
            const rest = batches.rest();
            if (rest !== null) put(rest);
            finish(null);
            resolve();
          },
          handleError: reject,
        } as pg.Submittable);
      }),
    async take() {
      while (ready.length === 0 && end === null)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const batch = ready.shift();
      if (batch === undefined) {
        if (end?.error != null) throw end.error;
        return null;
      }
      if (isPaused) {
        isPaused = false;
        client.connection.stream.resume();
      }
      return batch;
    },
    fail(error) {
      // Nobody wants the rest of what was stopped.
      if (error.code === OWN.aborted) ready.length = 0;
      finish(error);
    },
    isPaused: () => isPaused,
    isOver: () => end !== null,
  };
}

/** In one packet. Types of the pg package ask for a second argument that it does not read. */
function sendExtended(connection: pg.Connection, { before, text }: Copying): void {
  connection.stream.cork();
  try {
    if (before !== null) {
      connection.parse({ name: '', text: before.text, types: [] }, true);
      connection.bind({ values: [...before.values] }, true);
      connection.execute({}, true);
    }
    connection.parse({ name: '', text, types: [] }, true);
    connection.bind({}, true);
    connection.execute({}, true);
    connection.sync();
  } finally {
    connection.stream.uncork();
  }
}
