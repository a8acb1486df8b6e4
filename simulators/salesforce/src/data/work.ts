import type { Row, Values } from './row.ts';
import type { Transaction } from './transaction.ts';

/** A transaction, and for whom it is done. */
export interface Work {
  readonly tx: Transaction;
  readonly userId: string;
  /** The package's own Apex writes: its trigger trusts it. */
  readonly isApex: boolean;
  /** A fault: the org has no room for another record. */
  isStorageFull(object: string): boolean;
}

export interface Change {
  /** Null: the record is new. */
  readonly old: Row | null;
  readonly next: Row;
  /** What the writer named, be it the same as before. */
  readonly given: Values;
  readonly isApex: boolean;
  readonly now: number;
}

/** Runs before a record is saved: what it returns is saved too. A thrown `ApiError` refuses the record. */
export type Trigger = (change: Change) => Values;
