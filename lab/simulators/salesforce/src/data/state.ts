import type { Row, Value } from './database.ts';

/** Everything that an org keeps, as JSON. Sessions and counters of calls are not kept. */
export interface State {
  readonly version: 1;
  /** How far `advance` has moved the clock. */
  readonly offset: number;
  readonly serials: Readonly<Record<string, number>>;
  readonly rows: readonly StoredRow[];
}

export interface StoredRow {
  readonly Id: string;
  readonly [field: string]: string | number | boolean | null | StoredBytes;
}

interface StoredBytes {
  readonly base64: string;
}

export function storeRow(row: Row): StoredRow {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value,
  ]);
  return { ...Object.fromEntries(entries), Id: row.Id } as StoredRow;
}

export function restoreRow(stored: StoredRow): Row {
  const entries = Object.entries(stored).map(([name, value]): [string, Value] => [
    name,
    typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value,
  ]);
  return { ...Object.fromEntries(entries), Id: stored.Id };
}
