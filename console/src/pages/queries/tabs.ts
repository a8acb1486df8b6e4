import { use, useEffect, useState } from 'react';
import { z } from 'zod';
import { MeContext } from '../../data/client.ts';

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
/** With the person's subject: who signs in here after them has tabs of their own. */
const KEY = 'millrace.queries.';

const FIRST_SQL =
  'SELECT TOP 100 JobID, EmailName, DeliveredTime\nFROM _Job\nORDER BY DeliveredTime DESC';

export function newTab(sql = '', title = 'New query'): Tab {
  // Not randomUUID, which pages without TLS do not have.
  const id = crypto.getRandomValues(new Uint32Array(4)).join('-');
  return { id, title, sql, mid: null, run: null, ranSql: null };
}

function read(key: string): z.infer<typeof kept> {
  const text = localStorage.getItem(key);
  const parsed = text === null ? null : kept.safeParse(JSON.parse(text));
  if (parsed?.success === true) return parsed.data;
  const first = newTab(FIRST_SQL, 'First look');
  return { tabs: [first], shown: first.id };
}

/** Tabs survive a reload, and each keystroke with them, until the person signs out. */
export function useTabs() {
  const key = KEY + (use(MeContext)?.subject ?? '');
  const [state, setState] = useState(() => read(key));
  useEffect(() => localStorage.setItem(key, JSON.stringify(state)), [key, state]);
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
