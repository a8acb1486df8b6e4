import { useInfiniteQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../data/client.ts';
import { download } from '../../data/download.ts';
import { useMay } from '../../data/roles.ts';
import { count } from '../../time/words.ts';
import { Button } from '../../ui/button.tsx';
import { Choice, TextInput } from '../../ui/field.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Grid } from './Grid.tsx';
import type { QueryRun } from './phases.ts';
import { type Row, chartOf, isNumeric, topOf } from './rows.ts';

const PAGE = 1_000;
const FORMATS = ['csv', 'xlsx', 'jsonl', 'parquet'] as const;

/** The rows of a ready run: sorted and filtered among those that are loaded, and it says how many those are. */
export function Results({ run }: { run: QueryRun | null }) {
  const api = useApi();
  const may = useMay('getRunResults');
  const [text, setText] = useState('');
  const isReady = run?.status === 'ready';
  const answer = useInfiniteQuery({
    queryKey: ['run', run?.id, 'rows'],
    queryFn: ({ pageParam }) =>
      api.getRunResults({
        params: { id: run?.id ?? '' },
        query: { limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: isReady && may.allowed,
    staleTime: Infinity,
  });
  if (!isReady || run === null) return <div className="min-h-0 flex-1" />;
  const rows = answer.data?.pages.flatMap((page) => page.rows) ?? [];
  const columns = answer.data?.pages[0]?.columns ?? run.columns ?? [];
  const needle = text.toLowerCase();
  const shown =
    needle === ''
      ? rows
      : rows.filter((row) =>
          Object.values(row).some((value) =>
            String(value ?? '')
              .toLowerCase()
              .includes(needle),
          ),
        );
  const total = run.rowCount ?? rows.length;
  return (
    <section aria-label="Rows" className="flex min-h-0 flex-1 flex-col max-lg:min-h-100">
      <div className="flex flex-none flex-wrap items-center gap-2 px-4 py-2">
        <b>{count(total)} rows</b>
        <span className="text-small text-ink-3">
          {rows.length < total ? `${count(rows.length)} loaded` : ''}
          {needle !== '' && ` ${count(shown.length)} fit; a download has all`}
        </span>
        {answer.hasNextPage && (
          <Button
            size="small"
            disabled={answer.isFetchingNextPage}
            onClick={() => void answer.fetchNextPage()}
          >
            Load {count(Math.min(PAGE, total - rows.length))} more
          </Button>
        )}
        <TextInput
          aria-label="Filter rows"
          placeholder="Filter rows"
          value={text}
          className="max-w-36"
          onChange={(event) => setText(event.target.value)}
        />
        <span className="ml-auto inline-flex flex-wrap gap-1">
          {FORMATS.map((format) => (
            <Button
              key={format}
              size="small"
              look="ghost"
              icon={<Download size={13} />}
              why={may.why}
              onClick={() =>
                void download(
                  `${run.id}.${format}`,
                  () => api.downloadRunResults({ params: { id: run.id, format } }),
                  { large: true },
                )
              }
            >
              {format}
            </Button>
          ))}
        </span>
      </div>
      {answer.isError && (
        <div className="px-4 pb-3">
          <Trouble error={answer.error} retry={() => void answer.refetch()} />
        </div>
      )}
      {!may.allowed && <p className="px-4 text-ink-3">{may.why}</p>}
      {total === 0 && <p className="px-4 py-2 text-ink-2">It went well, and nothing matched.</p>}
      {rows.length > 0 && (
        <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_232px] border-t border-line max-xl:grid-cols-1">
          <Grid columns={columns} rows={shown} />
          <Chart columns={columns} rows={rows} />
        </div>
      )}
    </section>
  );
}

/** A quick look: the most of one column, by how often or by the sum of another. Of the rows that are loaded. */
function Chart({
  columns,
  rows,
}: {
  columns: readonly { name: string; type: string }[];
  rows: readonly Row[];
}) {
  const numbers = columns.filter(({ type }) => isNumeric(type));
  const first = chartOf(columns, rows);
  const [by, setBy] = useState(first.by);
  const [sum, setSum] = useState(first.sum ?? '');
  const slices = topOf(rows, by, sum === '' ? null : sum);
  const top = Math.max(1, ...slices.map(({ value }) => value));
  return (
    <aside
      aria-label="Quick chart"
      className="overflow-y-auto border-l border-line px-4 py-3 max-xl:hidden"
    >
      <div className="mb-3 grid gap-1.5">
        <Choice aria-label="By" value={by} onChange={(event) => setBy(event.target.value)}>
          {columns.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Choice>
        <Choice aria-label="Of" value={sum} onChange={(event) => setSum(event.target.value)}>
          <option value="">count of rows</option>
          {numbers.map(({ name }) => (
            <option key={name} value={name}>
              sum of {name}
            </option>
          ))}
        </Choice>
      </div>
      <ul className="grid gap-2.5">
        {slices.map(({ label, value }) => (
          <li key={label}>
            <span className="flex justify-between gap-2">
              <span className="truncate">{label}</span>
              <span className="text-ink-2">{count(value)}</span>
            </span>
            <span className="block h-1.75 rounded-[2px] bg-hover">
              <i
                className={`block h-1.75 rounded-[2px] ${label === 'all others' ? 'bg-free' : 'bg-water-1'}`}
                style={{ width: `${(100 * value) / top}%` }}
              />
            </span>
          </li>
        ))}
      </ul>
    </aside>
  );
}
