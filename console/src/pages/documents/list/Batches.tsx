import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useApi } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { useSaved } from '../../../data/saved.ts';
import { Time } from '../../../time/Time.tsx';
import { count, plural } from '../../../time/words.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { StateText } from '../../../ui/state.tsx';
import { savedBatch } from '../again/again.ts';
import { AgainList } from '../again/AgainList.tsx';
import { batchWord, failedFirst, partsOf, phaseOfBatch, rowsInWords } from '../things.ts';
import type { Batch } from '../types.ts';
import { useTemplates } from '../useTemplates.ts';
import { CELL, HEAD, Listed, ROW } from './table.tsx';

export function Batches() {
  const api = useApi();
  const { after } = useSearch({ from: '/shell/documents' });
  const answer = useQuery({
    queryKey: [...keys.batches(), { after }],
    queryFn: () =>
      api.listBatches({ query: { limit: 50, ...(after !== undefined && { cursor: after }) } }),
    placeholderData: keepPreviousData,
  });
  const saved = useSaved('batches', savedBatch) ?? [];
  const batches = failedFirst(answer.data?.batches ?? []);
  const templates = useTemplates(batches.map(({ templateId }) => templateId));
  const failed = batches.filter(({ counts }) => counts.failed > 0).length;
  return (
    <Listed
      answer={answer}
      isEmpty={batches.length === 0}
      next={answer.data?.next}
      footer={`${plural(batches.length, 'batch', 'batches')}, ${failed === 0 ? 'none with failed rows' : `${count(failed)} with failed rows first`}`}
      empty={
        <Empty
          title="No batches yet"
          action={
            <>
              <ButtonLink to="/documents/new" look="filled">
                New batch
              </ButtonLink>
              <ButtonLink to="/documents" search={{ tab: 'templates' }}>
                Templates
              </ButtonLink>
            </>
          }
        >
          A batch makes one document for each row of a spreadsheet. You see row 1 as a PDF before
          anything runs.
        </Empty>
      }
    >
      {saved.length > 0 && (
        <div className="border-b border-line px-6 py-3 max-md:px-4">
          <AgainList saved={saved} />
        </div>
      )}
      <table className="w-full border-separate border-spacing-0 max-md:block">
        <thead className="max-md:hidden">
          <tr>
            <th className={HEAD}>Batch</th>
            <th className={HEAD}>State</th>
            <th className={HEAD}>Progress</th>
            <th className={HEAD}>Source</th>
            <th className={HEAD}>By</th>
            <th className={`${HEAD} text-right`}>Started</th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          {batches.map((batch) => (
            <BatchRow
              key={batch.id}
              batch={batch}
              name={templates.get(batch.templateId)?.template.name ?? batch.templateId}
            />
          ))}
        </tbody>
      </table>
    </Listed>
  );
}

function BatchRow({ batch, name }: { batch: Batch; name: string }) {
  const { counts, total, source } = batch;
  const made = `${count(counts.succeeded)} of ${count(total)}`;
  return (
    <tr className={ROW}>
      <td className={CELL}>
        <Link
          to="/documents/batches/$id"
          params={{ id: batch.id }}
          className="font-medium hover:underline"
        >
          {name}
        </Link>{' '}
        <span className="text-small text-ink-3">
          {batch.id}
          {batch.preview !== null && ', preview'}
        </span>
      </td>
      <td className={CELL}>
        <StateText phase={phaseOfBatch(batch)} word={batchWord(batch)} />
      </td>
      <td className={`${CELL} max-md:col-span-2`}>
        <span className="flex items-center gap-2.5 whitespace-nowrap text-ink-2">
          <Progress
            parts={partsOf(batch)}
            total={total}
            label={`${made} made, ${count(counts.failed)} failed`}
            width={160}
            className="h-1.75 w-40 max-md:min-w-0 max-md:flex-1"
          />
          {made}
        </span>
      </td>
      <td className={`${CELL} whitespace-nowrap text-ink-2 max-md:text-small`}>
        {source === null ? '–' : `${source.format.toUpperCase()}, ${rowsInWords(source.rows)}`}
      </td>
      <td className={`${CELL} max-w-52 truncate text-ink-2 max-md:hidden`}>
        {batch.submitter ?? '–'}
      </td>
      <td className={`${CELL} text-right whitespace-nowrap text-ink-2 max-md:text-small`}>
        <Time at={batch.createdAt} />
      </td>
    </tr>
  );
}
