import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Page } from '../../shell/Page.tsx';
import { Ago } from '../../time/Time.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Attention } from './Attention.tsx';
import { Budgets } from './Budgets.tsx';
import { Figures } from './Figures.tsx';
import { Flow } from './Flow.tsx';
import { Replicas } from './Replicas.tsx';
import { RunningNow } from './RunningNow.tsx';
import { WINDOWS, type Overview, type Window } from './overview.ts';
import { Saying } from './Saying.tsx';

/** One sentence, the flow, the figures, what needs somebody, what runs. */
export function OverviewPage() {
  const api = useApi();
  const navigate = useNavigate();
  const { window = '15m' } = useSearch({ from: '/shell/' });
  const answer = useQuery({
    queryKey: keys.overview(window),
    queryFn: () => api.overview({ query: { window } }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <Page
      title="Overview"
      live
      note={
        answer.data && (
          <span>
            counted <Ago at={answer.data.at} />
          </span>
        )
      }
      actions={
        <>
          <Segmented
            label="Time range"
            value={window}
            options={WINDOWS}
            onChange={(value: Window) =>
              void navigate({ to: '/', search: { window: value }, replace: true })
            }
          />
          <ButtonLink to="/jobs/new" icon={<Plus size={14} />}>
            Enqueue
          </ButtonLink>
        </>
      }
    >
      {answer.isError && (
        <div className="p-6">
          <Trouble error={answer.error} retry={() => void answer.refetch()} />
        </div>
      )}
      {answer.data && <Board overview={answer.data} />}
    </Page>
  );
}

function Board({ overview }: { overview: Overview }) {
  return (
    <div className="flex min-h-full flex-col">
      <section aria-label="Flow" className="px-6 pt-4 pb-2 max-md:px-4">
        <Saying overview={overview} />
        <Flow overview={overview} />
      </section>
      <Figures overview={overview} />
      <div className="grid flex-1 grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)_236px] divide-x divide-line max-lg:grid-cols-2 max-lg:divide-x-0 max-md:block">
        <Attention items={overview.attention} />
        <RunningNow />
        <aside className="px-5 py-3 max-lg:col-span-2 max-lg:border-t max-lg:border-line max-md:px-4">
          <Budgets budgets={overview.budgets} />
          <Replicas replicas={overview.replicas} />
        </aside>
      </div>
    </div>
  );
}
