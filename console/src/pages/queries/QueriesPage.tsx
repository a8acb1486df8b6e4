import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Play, Plus, Sparkles, Square, X } from 'lucide-react';
import { Suspense, useCallback, useEffect, useEffectEvent, useRef } from 'react';
import { useApi, useApp } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { MOD } from '../../shell/keys.ts';
import { Page } from '../../shell/Page.tsx';
import { whenNeeded } from '../../shell/whenNeeded.tsx';
import { Button, IconButton, Kbd } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Catalog } from './Catalog.tsx';
import { Results } from './Results.tsx';
import { RunStatus } from './RunStatus.tsx';
import { type Tab, newTab, useTabs } from './tabs.ts';

const Editor = whenNeeded(() => import('./Editor.tsx').then((module) => module.Editor));

/** Tables on the left; editor, run status and rows beside them. */
export function QueriesPage() {
  const api = useApi();
  const { queries } = useApp();
  const navigate = useNavigate();
  const { run: linked } = useSearch({ from: '/shell/queries' });
  const tabs = useTabs();
  const { shown } = tabs;
  const may = useMay('startRun');
  const mayCancel = useMay('cancelRun');
  const catalog = useQuery({
    queryKey: ['catalog', shown.mid],
    queryFn: () => api.getCatalog({ query: shown.mid === null ? {} : { mid: shown.mid } }),
    enabled: may.allowed,
    staleTime: 300_000,
  });
  const run = useQuery({
    queryKey: ['run', shown.run],
    queryFn: () => api.getRun({ params: { id: shown.run ?? '' } }),
    enabled: shown.run !== null,
    // Live events come sooner; this is for the time without them.
    refetchInterval: ({ state }) =>
      state.data?.status === 'queued' || state.data?.status === 'running' ? 3_000 : false,
  });
  const isUnderway = run.data?.status === 'queued' || run.data?.status === 'running';

  // The run that an address names becomes a tab of its own.
  const take = useMutation({
    mutationFn: (id: string) => api.getRun({ params: { id } }),
    onSuccess: ({ id, sqlText, snippetName, mid }) => {
      const same = tabs.tabs.find((tab) => tab.run === id);
      if (same === undefined)
        tabs.open({ ...newTab(sqlText, snippetName ?? id), run: id, ranSql: sqlText, mid });
      else tabs.show(same.id);
      void navigate({ to: '/queries', search: {}, replace: true });
    },
  });
  const takeLinked = useEffectEvent((id: string) => take.mutate(id));
  useEffect(() => {
    if (linked !== undefined) takeLinked(linked);
  }, [linked]);

  // Applies to the tab that sent the request: another one may be open when the answer arrives.
  const start = useMutation({
    mutationFn: ({ sql, mid }: Tab) =>
      api.startRun({ body: { sql, ...(mid !== null && { mid }) } }),
    onSuccess: (started, { id, sql }) => {
      tabs.change(id, { run: started.id, ranSql: sql });
      void queries.invalidateQueries({ queryKey: keys.queryRuns() });
    },
  });
  const cancel = useMutation({
    mutationFn: (id: string) => api.cancelRun({ params: { id } }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['run'] }),
  });
  const format = useMutation({
    mutationFn: ({ sql }: Tab) => api.formatSql({ body: { sql } }),
    onSuccess: ({ sql }, asked) => {
      // What somebody typed meanwhile is worth more than the layout of what stood there.
      const isSame = tabs.tabs.some((tab) => tab.id === asked.id && tab.sql === asked.sql);
      if (isSame) tabs.change(asked.id, { sql });
    },
    onError: (error) => toast({ text: error.message, phase: 'failed' }),
  });
  const runNow = (): void => {
    // A second press while it runs would cost a second run.
    if (may.allowed && !start.isPending && !isUnderway && shown.sql.trim() !== '')
      start.mutate(shown);
  };

  const latest = useRef(tabs);
  useEffect(() => {
    latest.current = tabs;
  });
  // The same from keystroke to keystroke, so that the list of tables is not drawn again with each.
  const onMid = useCallback(
    (mid: string) => latest.current.change(latest.current.shown.id, { mid }),
    [],
  );
  const onOpen = useCallback((tab: Tab) => latest.current.open(tab), []);

  return (
    <Page
      title="Queries"
      live
      scrolls={false}
      actions={
        <>
          <Button
            icon={<Sparkles size={14} />}
            why={may.why}
            disabled={format.isPending}
            onClick={() => format.mutate(shown)}
          >
            Format
          </Button>
          {isUnderway ? (
            <Button
              icon={<Square size={13} />}
              why={mayCancel.why}
              disabled={cancel.isPending}
              onClick={() => shown.run !== null && cancel.mutate(shown.run)}
            >
              Cancel
            </Button>
          ) : (
            <Button
              look="filled"
              icon={<Play size={14} />}
              why={may.why}
              disabled={start.isPending}
              onClick={runNow}
            >
              Run <Kbd>{MOD}</Kbd>
              <Kbd>↵</Kbd>
            </Button>
          )}
        </>
      }
    >
      <div className="grid min-h-0 flex-1 grid-cols-[236px_minmax(0,1fr)] max-lg:block">
        <Catalog
          catalog={catalog.data ?? null}
          error={catalog.error}
          mid={shown.mid}
          onMid={onMid}
          onOpen={onOpen}
        />
        <div className="flex min-h-0 min-w-0 flex-col">
          <QueryTabs tabs={tabs} />
          <div className="h-[34vh] min-h-40 flex-none max-md:h-60">
            <Suspense>
              <Editor
                key={shown.id}
                value={shown.sql}
                catalog={catalog.data ?? null}
                mid={shown.mid}
                onChange={(sql) => tabs.change(shown.id, { sql })}
                onRun={runNow}
              />
            </Suspense>
          </div>
          {[take.error, start.error, run.error].map(
            (error, index) =>
              error !== null && (
                <div key={index} className="px-4 py-2">
                  <Trouble error={error} />
                </div>
              ),
          )}
          <RunStatus
            run={run.data ?? null}
            isChanged={shown.ranSql !== null && shown.ranSql !== shown.sql}
          />
          <Results key={shown.run} run={run.data ?? null} />
        </div>
      </div>
    </Page>
  );
}

function QueryTabs({
  tabs: { tabs, shown, show, open, close },
}: {
  tabs: ReturnType<typeof useTabs>;
}) {
  return (
    <div className="flex flex-none items-center border-b border-line pl-2">
      <div role="group" aria-label="Open queries" className="flex min-w-0 overflow-x-auto">
        {tabs.map(({ id, title, sql, ranSql }) => (
          <span
            key={id}
            className={`flex h-10 flex-none items-center gap-1 pl-3 ${id === shown.id ? 'shadow-[inset_0_-2px_0_var(--link)]' : ''}`}
          >
            <button
              type="button"
              aria-pressed={id === shown.id}
              className={`max-w-44 truncate ${id === shown.id ? 'font-[550]' : 'text-ink-2 hover:text-ink'}`}
              onClick={() => show(id)}
            >
              {title}
              {ranSql !== sql && (
                <i
                  className="ml-1.5 inline-block size-1.5 rounded-full bg-ink-3 align-middle"
                  title="Changed since the last run"
                />
              )}
            </button>
            <button
              type="button"
              aria-label={`Close ${title}`}
              className="grid size-6 place-items-center rounded-token text-ink-3 hover:bg-hover hover:text-ink"
              onClick={() => close(id)}
            >
              <X size={12} />
            </button>
          </span>
        ))}
      </div>
      <IconButton label="New query" onClick={() => open(newTab())}>
        <Plus size={15} />
      </IconButton>
    </div>
  );
}
