import type pg from 'pg';

/** A connection that one reading has for itself, and the ways to end it. */
export interface Line {
  readonly client: pg.Client;
  /** Stops the statement that runs. Never throws; resolves when the database knows of it, or cannot be reached. */
  cancel(): Promise<void>;
  /** With a goodbye. Resolves when nothing of the session is left. */
  close(): Promise<void>;
  /** Without a goodbye: the other end may be gone, or at work. Resolves as `close` does. */
  cut(): Promise<void>;
}

/** Bytes that have arrived: a row of many megabytes is progress, long before it is there. */
export function bytesArrived({ client }: Line): number {
  const stream = client.connection.stream as { readonly bytesRead?: number };
  return stream.bytesRead ?? 0;
}
