import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
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
import { Rows } from './Rows.tsx';

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
