import { useRef, useState } from 'react';

export interface Selection {
  readonly chosen: ReadonlySet<string>;
  toggle(id: string, range?: boolean): void;
  /** All of the page, or none of it. */
  toggleAll(): void;
  clear(): void;
  readonly all: 'all' | 'some' | 'none';
}

/** Chosen rows. Another filter is another list: what was chosen in the one before is let go. */
export function useSelection(ids: readonly string[], list: string): Selection {
  const [kept, setKept] = useState<{ list: string; chosen: ReadonlySet<string> }>({
    list,
    chosen: new Set(),
  });
  const last = useRef<string | null>(null);
  const chosen = kept.list === list ? kept.chosen : new Set<string>();
  const set = (next: Iterable<string>): void => setKept({ list, chosen: new Set(next) });
  const onPage = ids.filter((id) => chosen.has(id)).length;
  return {
    chosen,
    toggle(id, range = false) {
      const next = new Set(chosen);
      const on = !chosen.has(id);
      const from = last.current === null ? -1 : ids.indexOf(last.current);
      const to = ids.indexOf(id);
      const between =
        range && from >= 0 ? ids.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
      for (const each of between) {
        if (on) next.add(each);
        else next.delete(each);
      }
      last.current = id;
      set(next);
    },
    toggleAll() {
      set(onPage === ids.length ? [] : [...chosen, ...ids]);
    },
    clear: () => set([]),
    all: onPage === 0 ? 'none' : onPage === ids.length ? 'all' : 'some',
  };
}
