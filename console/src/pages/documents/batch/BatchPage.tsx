import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useApi } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { Page } from '../../../shell/Page.tsx';
import { StateChip } from '../../../ui/state.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { batchWord, isOver, phaseOfBatch } from '../things.ts';
import type { Batch } from '../types.ts';
import { useTemplates } from '../useTemplates.ts';
import { BatchActions } from './BatchActions.tsx';
import { BatchProgress } from './BatchProgress.tsx';
import { count } from '../../../time/words.ts';
import { FailedRows } from './FailedRows.tsx';
import { MadeRows } from './MadeRows.tsx';

const CRUMBS = [{ word: 'Batches', link: { to: '/documents' } }] as const;

/** One batch: how far it is, and its failed rows, which are corrected here. */
export function BatchPage() {
  const { id } = useParams({ from: '/shell/documents/batches/$id' });
  const api = useApi();
  const answer = useQuery({
    queryKey: keys.batch(id),
    queryFn: () => api.getBatch({ params: { id } }),
    // Events say that jobs ended; a batch of one job says nothing in between.
    refetchInterval: ({ state: { data } }) => (data === undefined || isOver(data) ? false : 2_000),
  });
  if (answer.data !== undefined) return <Shown batch={answer.data} />;
  return (
    <Page title={id} crumbs={CRUMBS}>
      {answer.isError && (
        <div className="p-6 max-md:p-4">
          <Trouble error={answer.error} retry={() => void answer.refetch()} />
        </div>
      )}
    </Page>
  );
}

function Shown({ batch }: { batch: Batch }) {
  const template = useTemplates([batch.templateId]).get(batch.templateId)?.template;
  return (
    <Page
      title={template === undefined ? batch.id : `${template.name}, ${batch.id}`}
      crumbs={CRUMBS}
      chip={<StateChip phase={phaseOfBatch(batch)} word={batchWord(batch)} />}
      live={!isOver(batch)}
      scrolls={false}
      actions={<BatchActions batch={batch} />}
    >
      <BatchProgress batch={batch} />
      <Rows batch={batch} />
    </Page>
  );
}

/** The failed rows where there are any; else all of them. */
function Rows({ batch }: { batch: Batch }) {
  const { show = batch.counts.failed > 0 ? 'failed' : 'all' } = useSearch({
    from: '/shell/documents/batches/$id',
  });
  const tabs = [
    { tab: 'failed', word: 'Failed rows', value: batch.counts.failed },
    { tab: 'all', word: 'All rows', value: batch.total },
  ] as const;
  return (
    <>
      <nav aria-label="Rows" className="flex flex-none gap-6 border-b border-line px-6 max-md:px-4">
        {tabs.map(({ tab, word, value }) => (
          <Link
            key={tab}
            to="/documents/batches/$id"
            params={{ id: batch.id }}
            search={{ show: tab }}
            aria-current={tab === show ? 'page' : undefined}
            className="flex h-10 items-center gap-1.5 text-ink-2 hover:text-ink aria-[current=page]:font-[550] aria-[current=page]:text-ink aria-[current=page]:shadow-[inset_0_-2px_0_var(--link)]"
          >
            {word} <span className="font-normal text-ink-3">{count(value)}</span>
          </Link>
        ))}
      </nav>
      {show === 'failed' ? <FailedRows batch={batch} /> : <MadeRows batch={batch} />}
    </>
  );
}
