import { prefixOf } from '../ids.ts';
import type { SObject } from '../schema/sobject.ts';
import type { Database, Row, Values } from './database.ts';
import type { ApiError } from '../errors.ts';
import { Blocked, type Locks } from './locks.ts';

/** The data as a query or a handler sees it: what is committed, and what its own transaction wrote. */
export interface View {
  /** Includes deleted records: see `IsDeleted`. */
  get(id: string): Row | undefined;
  rows(object: SObject): Iterable<Row>;
  bin(object: SObject): Iterable<Row>;
}

/**
 * Reads what is committed (others' unfinished work is never seen), writes into a layer of its own, and keeps
 * its locks until the end. Rolling back is forgetting the layer: records, files and unique values go together.
 */
export interface Transaction extends View {
  lock(name: string): Promise<void>;
  /** Throws `Blocked` where somebody else has it. */
  lockAtOnce(name: string): void;
  /** A lock that `lockAtOnce` did not get. */
  waitFor(name: string): Promise<void>;
  /** From now on, `lockAtOnce` throws this for it. */
  refuse(name: string, why: ApiError): void;
  put(row: Row): void;
  /** Who has this unique value, as this transaction sees it. */
  ownerOf(key: string): string | undefined;
  take(key: string, id: string): void;
  mark(): number;
  rollbackTo(mark: number): void;
  /** Called when the commit is done, and never if it is not. */
  afterCommit(call: () => void): void;
  readonly written: Iterable<Row>;
}

interface OpenTransaction extends Transaction {
  commit(): void;
  rollback(): void;
}

export function openTransaction(
  database: Database,
  locks: Locks,
  beforeLock: (name: string) => void,
): OpenTransaction {
  const owner = {};
  const layer = new Map<string, Row>();
  const keys = new Map<string, string>();
  const undo: (() => void)[] = [];
  const hooks: (() => void)[] = [];
  const refused = new Map<string, ApiError>();

  function remember<K, V>(map: Map<K, V>, key: K): void {
    const had = map.has(key);
    const before = map.get(key);
    undo.push(() => (had ? map.set(key, before as V) : map.delete(key)));
  }

  function* seen(object: SObject, deleted: boolean): Iterable<Row> {
    const base = deleted ? database.bin(object) : database.rows(object);
    if (layer.size === 0) {
      yield* base;
      return;
    }
    for (const row of base) if (!layer.has(row.Id)) yield row;
    for (const row of layer.values()) {
      if (prefixOf(row.Id) === object.keyPrefix && (row['IsDeleted'] === true) === deleted)
        yield row;
    }
  }

  return {
    get: (id) => layer.get(id) ?? database.get(id),
    rows: (object) => seen(object, false),
    bin: (object) => seen(object, true),
    async lock(name) {
      if (locks.holds(owner, name)) return;
      beforeLock(name);
      await locks.acquire(owner, name);
    },
    lockAtOnce(name) {
      const why = refused.get(name);
      if (why !== undefined) throw why;
      if (locks.holds(owner, name)) return;
      beforeLock(name);
      if (!locks.acquireAtOnce(owner, name)) throw new Blocked(name);
    },
    waitFor: (name) => locks.acquire(owner, name),
    refuse: (name, why) => void refused.set(name, why),
    put(row) {
      remember(layer, row.Id);
      layer.set(row.Id, row);
    },
    ownerOf: (key) => keys.get(key) ?? database.owner(key),
    take(key, id) {
      remember(keys, key);
      keys.set(key, id);
    },
    mark: () => undo.length,
    rollbackTo(mark) {
      for (const step of undo.splice(mark).toReversed()) step();
    },
    afterCommit(call) {
      hooks.push(call);
      undo.push(() => hooks.pop());
    },
    get written() {
      return layer.values();
    },
    commit() {
      database.apply(layer.values());
      locks.releaseAll(owner);
      for (const call of hooks) call();
    },
    rollback() {
      locks.releaseAll(owner);
    },
  };
}

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
