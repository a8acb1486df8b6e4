import type { Store } from '@millrace/engine';

/** What a store has as a whole or not at all. The port decides which: each optional member is one. */
export type PartName = {
  [Name in keyof Store]-?: undefined extends Store[Name] ? Name : never;
}[keyof Store];

/** The store that the service stands on has every part. */
export type MainStore = Store & Required<Omit<Store, 'gatherMs'>>;

/**
 * A store by all of its members; a part that it lacks is undefined. Whoever passes a store on writes out this type and
 * spreads nothing, so that a new verb or part of the port does not compile until someone has said what becomes of it.
 */
export type EveryMember<S extends Store> = { readonly [Name in Extract<keyof S, string>]: S[Name] };
