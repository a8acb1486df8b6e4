import type { Store } from '@millrace/engine';

/** Optional parts of a store, present as a whole or not at all: the optional members of the port. */
export type PartName = {
  [Name in keyof Store]-?: undefined extends Store[Name] ? Name : never;
}[keyof Store];

/** The store that the service stands on has every part. */
export type MainStore = Store & Required<Omit<Store, 'gatherMs'>>;
