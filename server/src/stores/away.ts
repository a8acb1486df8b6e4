import type { Store } from '@millrace/engine';

/** A store for some kinds, beside the one that has all others and everything that is not a job. */
export interface SideStore {
  /** The name of the store for people: `redis`, or the name of an org. */
  readonly place: string;
  readonly store: Store;
  readonly kinds: readonly string[];
}

/** Which of the stores beside the database did not answer when they were last asked: what they have is left out of answers. */
export interface Away {
  answered(store: string): void;
  missed(store: string, error: unknown): void;
  /** By the names that people know them by: `redis`, an org's. With kinds, only those that have one of them. */
  places(kinds?: readonly string[]): string[];
  /** The kinds whose numbers are unknown, because their stores do not answer. */
  kinds(): string[];
}

export function createAway(
  sides: readonly SideStore[],
  /** Once, until it has answered again. */
  onAway: (place: string, error: unknown) => void = () => {},
): Away {
  const away = new Set<string>();
  const missing = (): SideStore[] => sides.filter(({ store }) => away.has(store.name));
  return {
    answered: (store) => void away.delete(store),
    missed(store, error) {
      if (away.has(store)) return;
      away.add(store);
      onAway(sides.find((side) => side.store.name === store)?.place ?? store, error);
    },
    places: (asked) =>
      missing()
        .filter(({ kinds }) => asked?.some((kind) => kinds.includes(kind)) ?? true)
        .map(({ place }) => place),
    kinds: () => missing().flatMap(({ kinds }) => kinds),
  };
}
