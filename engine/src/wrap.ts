/** An object by all of its members; one that it may lack is undefined. */
type EveryMember<S> = { readonly [Name in Extract<keyof S, string>]: S[Name] };

/**
 * A store, or a part of one, whose members are each passed on (`kept`) or the wrapper's own. Nothing is passed on by itself: a new
 * verb or part of the port does not compile until every wrapper says what becomes of it. What the store lacks, the wrapped one
 * lacks too.
 */
export function wrapped<S extends object, Kept extends Extract<keyof S, string>>(
  store: S,
  kept: readonly Kept[],
  own: Omit<EveryMember<S>, Kept>,
): S {
  const members = [...kept.map((name) => [name, store[name]] as const), ...Object.entries(own)];
  return Object.fromEntries(members.filter(([, member]) => member !== undefined)) as S;
}
