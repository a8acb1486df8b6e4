import type { ApiError } from '../errors.ts';
import type { SObject } from '../schema/types.ts';
import type { Row, Values } from './row.ts';
import type { Transaction } from './transaction.ts';

/** A transaction, and for whom it is done. */
export interface Work {
  readonly tx: Transaction;
  readonly userId: string;
  /** Who writes: a call from outside, the package's Apex, or whoever has the org itself in hands. */
  readonly writer: 'client' | 'apex' | 'admin';
  /** The error of a new record of an object, if a fault says so. */
  refusalOf(object: string): ApiError | null;
}

/** Runs before a record is saved: what it returns is saved too. A thrown `ApiError` refuses the record. Old is null for a new one. */
export type Trigger = (work: Work, object: SObject, old: Row | null, next: Row) => Values;
