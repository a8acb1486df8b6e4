import type { Dependants, Keeps, Store } from '@millrace/engine';

/** A store to be checked: a fresh, empty database of its kind. */
export interface StoreHarness {
  /** A handle on the database. Several behave like several processes. */
  open(options?: { readonly dependants?: Dependants }): Promise<Store>;
  /** Moves the store's clock forward. Real time may pass as well: no check relies on its standing still. */
  advance(ms: number): Promise<void>;
  /** Closes every handle and removes the database. */
  close(): Promise<void>;
  /** For stores that have `enqueueIn`: runs `body` in a transaction, rolled back if it throws. */
  transact?(body: (transaction: unknown) => Promise<void>): Promise<void>;
  readonly limits?: StoreLimits;
}

/** Limits of a store that are in its nature. */
export interface StoreLimits {
  /** `watch` says nothing of what other processes do. */
  readonly silent?: boolean;
  /** Commits are never lost, so an epoch cannot come twice: the claim is no part of the fence. */
  readonly epochsFence?: boolean;
  /** Names (kind, tenant, key and the like) are short and of plain characters. */
  readonly plainNames?: boolean;
  /** The longest JSON text that it keeps; 300,000 characters unless it says less. */
  readonly longestText?: number;
}

/** A part of the port, something that is kept, or what not every store can help. */
export type Need = PartName | keyof Keeps | 'hints' | 'anyNames';

export type PartName =
  | 'enqueueIn'
  | 'chunks'
  | 'followers'
  | 'schedules'
  | 'control'
  | 'upkeep'
  | 'amend'
  | 'rearrange';

const PARTS: readonly string[] = [
  'enqueueIn',
  'chunks',
  'followers',
  'schedules',
  'control',
  'upkeep',
  'amend',
  'rearrange',
] satisfies PartName[];

/** The world of a check: the harness, and a first handle. */
export interface World {
  readonly store: Store;
  readonly harness: StoreHarness;
  open(options?: { readonly dependants?: Dependants }): Promise<Store>;
  /** Several handles, for races. */
  several(count: number, options?: { readonly dependants?: Dependants }): Promise<Store[]>;
  advance(ms: number): Promise<void>;
}

/** One guarantee, on a database of its own; skipped on stores that lack what it needs. */
export type Check = (
  title: string,
  body: (world: World) => Promise<void>,
  needs?: readonly Need[],
) => void;

export interface Section {
  readonly title: string;
  /** Skipped on stores that lack one of these. */
  readonly needs?: readonly Need[];
  checks(check: Check): void;
}

export async function createWorld(harness: StoreHarness): Promise<World> {
  return {
    store: await harness.open(),
    harness,
    open: (options) => harness.open(options),
    several: (count, options) =>
      Promise.all(Array.from({ length: count }, () => harness.open(options))),
    advance: (ms) => harness.advance(ms),
  };
}

export function has({ store, harness }: World, need: Need): boolean {
  if (need === 'hints') return harness.limits?.silent !== true;
  if (need === 'anyNames') return harness.limits?.plainNames !== true;
  return isPart(need) ? store[need] !== undefined : store.keeps[need];
}

function isPart(need: string): need is PartName {
  return PARTS.includes(need);
}
