import type { Client } from '@millrace/api';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, History, Table2 } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Ago } from '../../time/Time.tsx';
import { count } from '../../time/words.ts';
import { Choice, TextInput } from '../../ui/field.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { QUERY_PHASES } from './phases.ts';
import { type Tab, newTab } from './tabs.ts';

export type CatalogAnswer = Awaited<ReturnType<Client['getCatalog']>>;

/** Data extensions, data views, snippets and what ran before. */
export function Catalog({
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
  const fits = ({ name }: { name: string }): boolean =>
    name.toLowerCase().includes(text.toLowerCase());
  return (
    <aside
      aria-label="What can be queried"
      className="flex min-h-0 flex-col overflow-y-auto border-r border-line max-lg:hidden"
    >
      <div className="grid gap-2 p-3">
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
      <Group title="Data extensions">
        {catalog?.dataExtensions.filter(fits).map(({ name, fields }) => (
          <TableItem key={name} name={name} fields={fields} mid={mid} />
        ))}
      </Group>
      <Group title="Data views">
        {catalog?.dataViews.filter(fits).map(({ name, fields }) => (
          <TableItem key={name} name={name} fields={fields} mid={mid} />
        ))}
      </Group>
      <Snippets onOpen={onOpen} />
      <Before onOpen={onOpen} />
    </aside>
  );
}

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className="px-2 pb-2">
      <h2 className="px-2 py-1 text-axis font-medium text-ink-3">{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}

type Fields = CatalogAnswer['dataViews'][number]['fields'];

function TableItem({
  name,
  fields,
  mid,
}: {
  name: string;
  fields: Fields | null;
  mid: string | null;
}) {
  const api = useApi();
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: ['catalog', mid, name],
    queryFn: () => api.getCatalog({ query: { dataExtension: name, ...(mid !== null && { mid }) } }),
    enabled: isOpen && fields === null,
    staleTime: 300_000,
  });
  const shown = fields ?? data?.dataExtensions[0]?.fields ?? null;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex h-6.5 w-full items-center gap-1.5 rounded-token px-1.5 text-left hover:bg-hover"
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? <ChevronDown size={13} /> : <ChevronRight size={13} />}
        <Table2 size={13} className="flex-none text-ink-3" />
        <span className="truncate">{name}</span>
      </button>
      {isOpen && (
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
      )}
    </li>
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

/** What ran before, to be opened again with its rows while they are kept. */
function Before({ onOpen }: { onOpen(tab: Tab): void }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: keys.queryRuns(),
    queryFn: () => api.listRuns({ query: { limit: '20' } }),
  });
  if (data === undefined || data.runs.length === 0) return null;
  return (
    <section className="border-t border-line px-2 py-2">
      <h2 className="flex items-center gap-1.5 px-2 py-1 text-axis font-medium text-ink-3">
        <History size={12} /> History
      </h2>
      <ul>
        {data.runs.map(({ id, sqlText, status, rowCount, createdAt, mid }) => (
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
    </section>
  );
}
