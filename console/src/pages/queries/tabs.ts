import { useEffect, useState } from 'react';
import { z } from 'zod';

const tab = z.object({
  id: z.string(),
  title: z.string(),
  sql: z.string(),
  mid: z.string().nullable(),
  /** The last run of this tab, and the text that it ran: the results say when the text has changed since. */
  run: z.string().nullable(),
  ranSql: z.string().nullable(),
});
export type Tab = z.infer<typeof tab>;

const kept = z.object({ tabs: z.array(tab).min(1), shown: z.string() });
const KEY = 'millrace.queries';

const FIRST_SQL =
  'SELECT TOP 100 JobID, EmailName, DeliveredTime\nFROM _Job\nORDER BY DeliveredTime DESC';

export function newTab(sql = '', title = 'New query'): Tab {
  return { id: crypto.randomUUID(), title, sql, mid: null, run: null, ranSql: null };
}

function read(): z.infer<typeof kept> {
  const text = localStorage.getItem(KEY);
  const parsed = text === null ? null : kept.safeParse(JSON.parse(text));
  if (parsed?.success === true) return parsed.data;
  const first = newTab(FIRST_SQL, 'First look');
  return { tabs: [first], shown: first.id };
}

/** Tabs survive a reload, and each keystroke with them. */
export function useTabs() {
  const [state, setState] = useState(read);
  useEffect(() => localStorage.setItem(KEY, JSON.stringify(state)), [state]);
  const shown = state.tabs.find(({ id }) => id === state.shown) ?? state.tabs[0] ?? newTab();
  return {
    tabs: state.tabs,
    shown,
    show: (id: string) => setState((before) => ({ ...before, shown: id })),
    open: (next: Tab) => setState((before) => ({ tabs: [...before.tabs, next], shown: next.id })),
    change: (id: string, change: Partial<Tab>) =>
      setState((before) => ({
        ...before,
        tabs: before.tabs.map((each) => (each.id === id ? { ...each, ...change } : each)),
      })),
    close: (id: string) =>
      setState((before) => {
        const tabs = before.tabs.filter((each) => each.id !== id);
        const left = tabs.length > 0 ? tabs : [newTab()];
        return { tabs: left, shown: before.shown === id ? (left.at(-1)?.id ?? '') : before.shown };
      }),
  };
}
