import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight, Folder, History, Table2 } from 'lucide-react';
import { memo, useDeferredValue, useLayoutEffect, useRef, useState } from 'react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Ago } from '../../time/Time.tsx';
import { count } from '../../time/words.ts';
import { Button } from '../../ui/button.tsx';
import { Choice, TextInput } from '../../ui/field.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { QUERY_PHASES } from './phases.ts';
import { type CatalogAnswer, type Table, linesOf, tableQuery, tablesLike } from './tables.ts';
import { type Tab, newTab } from './tabs.ts';

/** Data extensions, data views, snippets and what ran before. Not drawn again with each keystroke in the editor beside it. */
export const Catalog = memo(function Catalog({
  catalog,
  error,
  mid,
  onMid,
  onOpen,
}: {
  catalog: CatalogAnswer | null;
  error: unknown;
  mid: string | null;
  onMid(mid: string): void;
  onOpen(tab: Tab): void;
}) {
  const [text, setText] = useState('');
  const box = useRef<HTMLDivElement>(null);
  return (
    <aside
      aria-label="What can be queried"
      className="flex min-h-0 flex-col border-r border-line max-lg:hidden"
    >
      <div className="grid flex-none gap-2 p-3">
        {catalog !== null && catalog.mids.length > 1 && (
          <Choice
            aria-label="Business unit"
            value={mid ?? catalog.mid}
            onChange={(event) => onMid(event.target.value)}
          >
            {catalog.mids.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Choice>
        )}
        <TextInput
          aria-label="Find a table"
          placeholder="Find a table"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {error !== null && (
        <div className="px-3 pb-3">
          <Trouble error={error} />
        </div>
      )}
      {/* With thousands of tables, what is below them would never be reached in one scroll. */}
      <div ref={box} className="relative min-h-0 flex-1 overflow-y-auto">
        <Tables
          // Another search begins at its top.
          key={text}
          title="Data extensions"
          tables={tablesLike(catalog?.dataExtensions ?? [], text)}
          total={catalog?.dataExtensions.length ?? 0}
          mid={mid}
          box={box}
        />
        <Tables
          title="Data views"
          tables={tablesLike(catalog?.dataViews ?? [], text)}
          total={catalog?.dataViews.length ?? 0}
          mid={mid}
          box={box}
        />
      </div>
      <div className="max-h-[45%] flex-none overflow-y-auto">
        <Snippets onOpen={onOpen} />
        <Before onOpen={onOpen} />
      </div>
    </aside>
  );
});

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className="px-2 pb-2">
      <h2 className="px-2 py-1 text-axis font-medium text-ink-3">{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}

const ROW = 26;
/** So many tables are looked through by eye; with more, folders begin closed. */
const FEW = 100;

/** Only the lines in sight are in the page: an account has thousands of tables. */
function Tables({
  title,
  tables,
  total,
  mid,
  box,
}: {
  title: string;
  tables: readonly Table[];
  total: number;
  mid: string | null;
  box: React.RefObject<HTMLElement | null>;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  const [isFolded, setFolded] = useState(false);
  // Here, since a line that is scrolled out of sight is not in the page. Of folders: those that were opened or closed by hand.
  const [open, setOpen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isSearched = tables.length < total;
  const isOpen = (key: string): boolean => open.get(key) ?? (isSearched || total <= FEW);
  const lines = linesOf(tables, isOpen);
  useLayoutEffect(() => setMargin(list.current?.offsetTop ?? 0), [lines.length]);
  const virtual = useVirtualizer({
    count: isFolded ? 0 : lines.length,
    getScrollElement: () => box.current,
    getItemKey: (index) => lines[index]?.key ?? index,
    estimateSize: () => ROW,
    scrollMargin: margin,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  if (total === 0) return null;
  const toggle = (key: string, to: boolean): void =>
    setOpen((before) => new Map(before).set(key, to));
  return (
    <section className="px-2 pb-2">
      <h2 className="text-axis font-medium text-ink-3">
        <button
          type="button"
          aria-expanded={!isFolded}
          className="flex w-full items-center gap-1.5 rounded-token px-1.5 py-1 hover:bg-hover"
          onClick={() => setFolded(!isFolded)}
        >
          {isFolded ? <ChevronRight size={13} /> : <ChevronDown size={13} />}
          {title}
          <span className="ml-auto">
            {isSearched ? `${count(tables.length)} of ${count(total)}` : count(total)}
          </span>
        </button>
      </h2>
      <ul ref={list} className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const line = lines[index];
          if (line === undefined) return null;
          const isLineOpen =
            line.kind === 'folder' ? isOpen(line.key) : (open.get(line.key) ?? false);
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-setsize={lines.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0"
              style={{ top: start - margin }}
            >
              <button
                type="button"
                title={line.kind === 'folder' ? line.name : line.table.name}
                aria-expanded={isLineOpen}
                className="flex h-6.5 w-full items-center gap-1.5 rounded-token px-1.5 text-left hover:bg-hover"
                style={{ paddingLeft: 6 + 12 * line.depth }}
                onClick={() => toggle(line.key, !isLineOpen)}
              >
                {isLineOpen ? <ChevronDown size={13} /> : <ChevronRight size={13} />}
                {line.kind === 'folder' ? (
                  <>
                    <Folder size={13} className="flex-none text-ink-3" />
                    <span className="truncate">{line.name}</span>
                    <span className="ml-auto text-axis text-ink-3">{count(line.tables)}</span>
                  </>
                ) : (
                  <>
                    <Table2 size={13} className="flex-none text-ink-3" />
                    <span className="truncate">{line.table.name}</span>
                  </>
                )}
              </button>
              {line.kind === 'table' && isLineOpen && <Fields table={line.table} mid={mid} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Those of a data extension are read when somebody opens it. */
function Fields({ table: { name, fields }, mid }: { table: Table; mid: string | null }) {
  const api = useApi();
  const { data } = useQuery({ ...tableQuery(api, mid, name), enabled: fields === null });
  const shown = fields ?? data?.dataExtensions[0]?.fields ?? null;
  return (
    <ul className="pb-1">
      {shown?.map((field) => (
        <li
          key={field.name}
          className="flex h-6 items-center gap-2 pr-2 pl-9 text-small text-ink-2"
        >
          <span className={`truncate ${field.isPrimaryKey ? 'font-semibold' : ''}`}>
            {field.name}
          </span>
          <span className="ml-auto text-axis text-ink-3">{field.type}</span>
        </li>
      ))}
    </ul>
  );
}

function Snippets({ onOpen }: { onOpen(tab: Tab): void }) {
  const api = useApi();
  const { data } = useQuery({ queryKey: ['snippets'], queryFn: () => api.listSnippets() });
  if (data === undefined || data.snippets.length === 0) return null;
  return (
    <Group title="Snippets">
      {data.snippets.map(({ name, sqlText }) => (
        <li key={name}>
          <button
            type="button"
            className="h-6.5 w-full truncate rounded-token px-2 text-left hover:bg-hover"
            onClick={() => onOpen(newTab(sqlText, name))}
          >
            {name}
          </button>
        </li>
      ))}
    </Group>
  );
}

const RUNS_AT_ONCE = 20;

/** Earlier runs, which can be reopened with their rows while those are kept. */
function Before({ onOpen }: { onOpen(tab: Tab): void }) {
  const api = useApi();
  const [text, setText] = useState('');
  const q = useDeferredValue(text.trim());
  const runs = useInfiniteQuery({
    queryKey: [...keys.queryRuns(), q],
    queryFn: ({ pageParam }) =>
      api.listRuns({
        query: {
          limit: String(RUNS_AT_ONCE),
          ...(q !== '' && { q }),
          ...(pageParam !== null && { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const found = runs.data?.pages.flatMap((page) => page.runs) ?? [];
  if (runs.data === undefined || (found.length === 0 && text === '')) return null;
  return (
    <section className="border-t border-line px-2 py-2">
      <h2 className="flex items-center gap-1.5 px-2 py-1 text-axis font-medium text-ink-3">
        <History size={12} /> History
      </h2>
      <TextInput
        aria-label="Find in the history"
        placeholder="Find in the history"
        value={text}
        className="mb-1"
        onChange={(event) => setText(event.target.value)}
      />
      {found.length === 0 && <p className="px-2 py-1 text-small text-ink-3">No run has this.</p>}
      <ul>
        {found.map(({ id, sqlText, status, rowCount, createdAt, mid }) => (
          <li key={id}>
            <button
              type="button"
              className="flex w-full items-start gap-2 rounded-token px-2 py-1 text-left hover:bg-hover"
              onClick={() => onOpen({ ...newTab(sqlText, id), run: id, ranSql: sqlText, mid })}
            >
              <span className="mt-0.5">
                <StateIcon phase={QUERY_PHASES[status]} size={13} label={status} />
              </span>
              <span className="min-w-0 flex-1">
                <span className="block truncate font-mono text-small">
                  {sqlText.replaceAll(/\s+/g, ' ')}
                </span>
                <span className="text-axis text-ink-3">
                  {rowCount !== null && `${count(rowCount)} rows, `}
                  <Ago at={createdAt} />
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {runs.hasNextPage && (
        <Button
          size="small"
          look="ghost"
          disabled={runs.isFetchingNextPage}
          onClick={() => void runs.fetchNextPage()}
        >
          Older
        </Button>
      )}
    </section>
  );
}
