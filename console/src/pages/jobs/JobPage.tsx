import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Page } from '../../shell/Page.tsx';
import { useNow } from '../../time/now.ts';
import { StateChip, phaseOf } from '../../ui/state.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { visible } from '../../ui/visible.ts';
import { Log } from './job/AttemptDetail.tsx';
import { Attempts } from './job/Attempts.tsx';
import { Data } from './job/Data.tsx';
import { Facts } from './job/Facts.tsx';
import { Family } from './job/Family.tsx';
import { JobActions } from './job/JobActions.tsx';
import { JobProgress } from './job/JobProgress.tsx';
import { Why } from './job/Why.tsx';
import type { Job } from './job/job.ts';

const CRUMBS = [{ word: 'Jobs', link: { to: '/jobs' } }] as const;

/** One job: why it is where it is, how far, what happened in each attempt; beside it the family, the facts and the data. */
export function JobPage() {
  const { id } = useParams({ from: '/shell/jobs/$id' });
  const api = useApi();
  const answer = useQuery({
    queryKey: keys.job(id),
    queryFn: () => api.getJob({ params: { id } }),
  });
  if (answer.data !== undefined) return <Shown job={answer.data} />;
  return (
    <Page title={id} crumbs={CRUMBS}>
      {answer.isError && (
        <div className="p-6">
          <Trouble error={answer.error} retry={() => void answer.refetch()} />
        </div>
      )}
    </Page>
  );
}

function Shown({ job }: { job: Job }) {
  const phase = phaseOf(job, useNow());
  return (
    <Page
      title={visible(job.key ?? job.id)}
      crumbs={CRUMBS}
      chip={<StateChip phase={phase} />}
      live
      scrolls={false}
      actions={<JobActions job={job} />}
    >
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_minmax(296px,392px)] max-lg:block max-lg:overflow-y-auto">
        <div className="flex flex-col gap-6 overflow-y-auto px-6 py-4 max-lg:overflow-visible max-md:px-4">
          <Why job={job} phase={phase} />
          <JobProgress job={job} />
          <Attempts job={job} />
          {isNow(job) && job.log !== null && job.log.length > 0 && (
            <section>
              <h2 className="mb-2">Log</h2>
              <div className="overflow-hidden rounded-node border border-line">
                <Log lines={job.log} />
              </div>
            </section>
          )}
        </div>
        <aside className="overflow-y-auto border-l border-line bg-well max-lg:overflow-visible max-lg:border-t max-lg:border-l-0">
          <Family job={job} />
          <Facts job={job} />
          <Data title="Data" value={job.data} />
          {job.result !== null && <Data title="Result" value={job.result} />}
          {job.cursor !== null && job.cursor !== undefined && (
            <Data title="Cursor" value={job.cursor} />
          )}
        </aside>
      </div>
    </Page>
  );
}

/** The log of an execution that ended badly is with that execution. */
function isNow({ state, executions }: Job): boolean {
  return state === 'PROCESSING' || executions.length === 0;
}
