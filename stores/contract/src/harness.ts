import type { Capabilities, Dependants, Store } from '@millrace/engine';

/** What a store brings to be checked: a fresh, empty database of its kind. */
export interface StoreHarness {
  /** A handle on the database. Several behave like several processes. */
  open(options?: { readonly dependants?: Dependants }): Promise<Store>;
  /** Moves the store's clock forward. Real time may pass as well: no check relies on its standing still. */
  advance(ms: number): Promise<void>;
  /** Closes every handle and removes the database. */
  close(): Promise<void>;
  /** For stores that can join a caller's transaction: runs `body` in one, rolled back if it throws. */
  transact?(body: (transaction: unknown) => Promise<void>): Promise<void>;
}

/** What a check works with: the harness, and a first handle. */
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
  needs?: readonly (keyof Capabilities)[],
) => void;

export interface Section {
  readonly title: string;
  /** Skipped on stores that lack one of these. */
  readonly needs?: readonly (keyof Capabilities)[];
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
