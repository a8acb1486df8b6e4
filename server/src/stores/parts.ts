import type { Store } from '@millrace/engine';

/** What a store has as a whole or not at all. The port decides which: each optional member is one. */
export type PartName = {
  [Name in keyof Store]-?: undefined extends Store[Name] ? Name : never;
}[keyof Store];

/** The store that the service stands on has every part. */
export type MainStore = Store & Required<Omit<Store, 'gatherMs'>>;
