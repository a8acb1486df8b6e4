import type { Away, SideStore } from './away.ts';
import { type Filter, type JobId, type Store, StoreUnavailable } from '@millrace/engine';

/** Finds the store of a job: by the prefix of an id, by the table for a kind. */
export interface Directory {
  readonly all: readonly Store[];
  ofKind(kind: string): Store;
  ofId(id: JobId): Store;
  /** The stores that may have such jobs. An org is asked only where it may: each call counts against its daily limit. */
  fitting(filter: Filter): readonly Store[];
  /** The main store must answer; without one of the others the answer is still useful, and notes which one is missing. */
  orLess<T>(store: Store, ask: () => Promise<T>, less: T): Promise<T>;
}

export function createDirectory(
  main: Store,
  sides: readonly SideStore[],
  away: Pick<Away, 'answered' | 'missed'>,
): Directory {
  const all = [main, ...sides.map(({ store }) => store)];

  function ofKind(kind: string): Store {
    return sides.find(({ kinds }) => kinds.includes(kind))?.store ?? main;
  }

  return {
    all,
    ofKind,
    ofId: (id) => all.find(({ name }) => id.startsWith(`${name}-`)) ?? main,
    fitting({ kind, kinds }) {
      if (kind !== undefined) return [ofKind(kind)];
      return kinds === undefined
        ? all
        : all.filter((store) => kinds.some((each) => ofKind(each) === store));
    },
    async orLess(store, ask, less) {
      try {
        const answer = await ask();
        away.answered(store.name);
        return answer;
      } catch (error) {
        if (store === main || !(error instanceof StoreUnavailable)) throw error;
        away.missed(store.name, error);
        return less;
      }
    },
  };
}
