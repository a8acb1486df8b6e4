import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../../data/client.ts';
import { download } from '../../../data/download.ts';
import { keys } from '../../../data/keys.ts';
import { useMay } from '../../../data/roles.ts';
import { focusPage } from '../../../shell/Page.tsx';
import { plural } from '../../../time/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { toast } from '../../../ui/toast.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { isOver } from '../things.ts';
import type { Batch, Item } from '../types.ts';
import { Correction } from './Correction.tsx';
import { CorrectedPage } from './CorrectedPage.tsx';
import { type Corrections, correctedTable, failedRowsOf } from './correct.ts';
import { parseFailed, writeFailed } from './csv.ts';
import { Panes } from './Panes.tsx';

/** Failed rows, corrected in their cells and run again. The others go on meanwhile. */
export function FailedRows({ batch }: { batch: Batch }) {
  const api = useApi();
  const navigate = useNavigate();
  const { row: asked } = useSearch({ from: '/shell/documents/batches/$id' });
  const mayRead = useMay('downloadFailed');
  const params = { params: { id: batch.id } };
  const items = useQuery({
    queryKey: [...keys.batch(batch.id), 'failed', batch.counts.failed],
    queryFn: async () =>
      (await api.listBatchItems({ ...params, query: { state: 'FAILED', limit: 200 } })).items,
    placeholderData: (before) => before,
  });
  const table = useQuery({
    queryKey: [...keys.batch(batch.id), 'failed-rows', batch.counts.failed],
    queryFn: async () => {
      const response = await api.downloadFailed(params);
      const isTable = response.headers.get('content-type')?.startsWith('text/csv') === true;
      return isTable ? parseFailed(await response.text()) : null;
    },
    enabled: mayRead.allowed && batch.counts.failed > 0,
    placeholderData: (before) => before,
  });
  const [corrections, setCorrections] = useState<Corrections>(new Map());
  const type = (line: number, column: number, text: string | null): void =>
    setCorrections((before) => {
      const typed = new Map(before.get(line));
      if (text === null) typed.delete(column);
      else typed.set(column, text);
      return new Map(before).set(line, typed);
    });
  const rows = table.data == null ? [] : failedRowsOf(table.data);
  const byLine = new Map(rows.map((row) => [row.line, row]));
  const list = items.data ?? [];
  const shown = list.find(({ item }) => item === asked) ?? list[0];
  const corrected = [...corrections].filter(
    ([line, typed]) => typed.size > 0 && byLine.has(line),
  ).length;
  const run = useCorrect(batch, () => setCorrections(new Map()));
  const mayRun = useMay('correctBatch');
  if (items.isSuccess && list.length === 0)
    return (
      <Empty title="No failed row">
        {isOver(batch)
          ? 'Every row has its document.'
          : 'Failed rows are listed here while the others continue.'}
      </Empty>
    );
  return (
    <Panes
      page={
        shown !== undefined && (
          <CorrectedPage
            key={shown.item}
            batch={batch}
            item={shown}
            header={table.data?.header ?? []}
            row={byLine.get(shown.line)}
            typed={corrections.get(shown.line)}
          />
        )
      }
    >
      <header className="sticky top-0 z-2 flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-surface px-6 py-2 max-md:px-4">
        <span className="min-w-0 flex-1 text-ink-2 max-md:basis-full">
          {mayRun.why ??
            (table.data === null
              ? 'These rows were sent as JSON: correct the file and send it again with the command line.'
              : 'Correct them here; the others continue.')}
        </span>
        <Button
          size="small"
          look="ghost"
          icon={<Download size={13} />}
          why={mayRead.why}
          onClick={() => void download(`${batch.id}-failed.csv`, () => api.downloadFailed(params))}
        >
          As spreadsheet
        </Button>
        <Button
          look="filled"
          why={
            mayRun.why ??
            (corrected === 0
              ? 'Correct a row first.'
              : isOver(batch)
                ? null
                : 'Wait until the other rows have ended.')
          }
          disabled={run.isPending}
          onClick={() =>
            table.data != null && run.mutate(writeFailed(correctedTable(table.data, corrections)))
          }
        >
          {corrected === 0 ? 'Run corrected rows' : `Run ${plural(corrected, 'corrected row')}`}
        </Button>
      </header>
      {(items.isError || table.isError || run.isError) && (
        <div className="p-6 pb-0 max-md:p-4">
          <Trouble error={run.error ?? items.error ?? table.error} />
        </div>
      )}
      <ul>
        {list.map((item: Item) => (
          <Correction
            key={item.item}
            item={item}
            header={table.data?.header ?? []}
            row={byLine.get(item.line)}
            typed={corrections.get(item.line)}
            offers={corrections}
            isShown={item.item === shown?.item}
            why={mayRun.why}
            onType={(column, text) => type(item.line, column, text)}
            onShow={() =>
              void navigate({
                to: '/documents/batches/$id',
                params: { id: batch.id },
                search: { show: 'failed', row: item.item },
                replace: true,
              })
            }
          />
        ))}
      </ul>
      {batch.counts.failed > list.length && list.length > 0 && (
        <p className="px-6 py-3 text-small text-ink-3">
          The first {list.length} are shown. Take the rest as a spreadsheet.
        </p>
      )}
    </Panes>
  );
}

function useCorrect(batch: Batch, onDone: () => void) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (text: string) =>
      api.correctBatch({
        params: { id: batch.id },
        upload: { type: 'text/csv', bytes: text },
      }),
    onSuccess: ({ retried }) => {
      onDone();
      focusPage();
      toast({ text: `${plural(retried, 'corrected row')} under way`, phase: 'running' });
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: keys.batches() }),
  });
}
