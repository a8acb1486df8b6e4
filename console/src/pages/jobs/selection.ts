import { useCallback, useLayoutEffect, useRef, useState } from 'react';

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
  // The same function from render to render, so that a row that has not changed is not rendered.
  const latest = useRef({ ids, list, chosen });
  useLayoutEffect(() => {
    latest.current = { ids, list, chosen };
  });
  const toggle = useCallback((id: string, range = false): void => {
    const { ids: all, list: shown, chosen: before } = latest.current;
    const next = new Set(before);
    const on = !before.has(id);
    const from = last.current === null ? -1 : all.indexOf(last.current);
    const to = all.indexOf(id);
    const between =
      range && from >= 0 ? all.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
    for (const each of between) {
      if (on) next.add(each);
      else next.delete(each);
    }
    last.current = id;
    setKept({ list: shown, chosen: next });
  }, []);
  return {
    chosen,
    toggle,
    toggleAll() {
      set(onPage === ids.length ? [] : [...chosen, ...ids]);
    },
    clear: () => set([]),
    all: onPage === 0 ? 'none' : onPage === ids.length ? 'all' : 'some',
  };
}
