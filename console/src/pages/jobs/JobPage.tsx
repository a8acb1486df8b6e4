import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Page } from '../../shell/Page.tsx';
import { useNow } from '../../time/now.ts';
import { type Phase, StateChip, phaseOf } from '../../ui/state.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { visible } from '../../ui/visible.ts';
import { Log } from './job/AttemptDetail.tsx';
import { Attempts } from './job/Attempts.tsx';
import { Family } from './job/Family.tsx';
import { JobActions } from './job/JobActions.tsx';
import type { Job } from './job/job.ts';
import { count, span } from '../../time/words.ts';
import { Progress } from '../../ui/progress.tsx';
import { Time } from '../../time/Time.tsx';
import { Banner } from '../../ui/banner.tsx';
import type { ReactNode } from 'react';
import { Copy } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { copy } from '../../ui/copy.ts';

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

/** How far, and how long it will take at the pace so far. */
function JobProgress({ job }: { job: Job }) {
  const now = useNow();
  if (job.progress === null) return null;
  const { done, total, note } = job.progress;
  const words = total === undefined ? count(done) : `${count(done)} of ${count(total)}`;
  const ran = job.startedAt === null ? 0 : now - Date.parse(job.startedAt);
  const left =
    job.state === 'PROCESSING' && total !== undefined && done > 0 && done < total
      ? (ran / done) * (total - done)
      : null;
  const failed = job.state === 'FAILED' ? 1 : 0;
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-baseline gap-x-2">
        <h2>Progress</h2>
        <span className="text-ink-3">{words}</span>
        {note !== undefined && <span className="text-ink-3">{note}</span>}
        {left !== null && <span className="ml-auto text-ink-2">about {span(left)} left</span>}
      </div>
      {total !== undefined && (
        <Progress
          parts={[
            { of: 'done', count: done },
            { of: 'failed', count: failed && done < total ? 1 : 0 },
          ]}
          total={total}
          width={700}
          label={words}
          className="h-4"
        />
      )}
    </section>
  );
}

/** Why the job is where it is, in the words of `explain`, with a count-down where the reason goes away by itself. */
function Why({ job, phase }: { job: Job; phase: Phase }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['job', job.id, 'explain', job.state, job.runAt],
    queryFn: () => api.explainJob({ params: { id: job.id } }),
  });
  if (data === undefined || phase === 'succeeded') return null;
  const [first = '', ...rest] = visible(data.sentence).split(/(?<=[.;]) /);
  return (
    <Banner
      phase={phase}
      title={<Sentence text={first} />}
      code={data.reason}
      aside={data.until !== null && <CountDown until={data.until} />}
    >
      <Sentence text={rest.join(' ')} />
    </Banner>
  );
}

const MOMENT = /(\d{4}-\d\d-\d\dT[\d:.]+Z)/;

/** Moments in a sentence of the service, as the reader chose to see moments. */
function Sentence({ text }: { text: string }) {
  return text
    .split(MOMENT)
    .map((part, index) => (MOMENT.test(part) ? <Time key={index} at={part} /> : part));
}

/** Not announced: a screen reader would count every second aloud. */
function CountDown({ until }: { until: string }) {
  const left = Math.max(0, Math.round((Date.parse(until) - useNow()) / 1000));
  if (left === 0) return null;
  const parts = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const [hours = 0, ...rest] = parts;
  const shown = (hours > 0 ? [hours, ...rest] : rest).map((part, index) =>
    index === 0 ? String(part) : String(part).padStart(2, '0'),
  );
  return (
    <span aria-hidden="true" className="text-figure-2 font-semibold tracking-tight text-ink-2">
      {shown.join(':')}
    </span>
  );
}

function Facts({ job }: { job: Job }) {
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Id', <code key="id">{job.id}</code>],
    [
      'Kind',
      <Link key="kind" to="/jobs" search={{ kind: job.kind }} className="hover:underline">
        <code>{job.kind}</code>
      </Link>,
    ],
    ['Tenant', job.tenant],
    ['Submitted by', job.submitter],
    ['Enqueued', <Time key="made" at={job.createdAt} />],
    ['Due', <Time key="due" at={job.runAt} />],
    ['Ended', job.finishedAt !== null && <Time key="ended" at={job.finishedAt} />],
    ['Replica', job.worker],
    ['Priority', job.priority],
    ['Key', job.key !== null && <code key="key">{job.key}</code>],
    ['Schedule', job.schedule],
    ['About', job.subject],
    ['Webhook', job.webhook],
    [
      'Correlation',
      job.correlationId !== null && (
        <Link
          key="correlation"
          to="/jobs"
          search={{ correlationId: job.correlationId }}
          className="hover:underline"
        >
          <code>{job.correlationId}</code>
        </Link>
      ),
    ],
  ];
  return (
    <section className="border-b border-line px-6 py-3 max-md:px-4">
      <h2 className="mb-1.5">Facts</h2>
      <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-y-1">
        {facts.map(([name, value]) =>
          value === null || value === false || value === '' ? null : (
            <div key={name} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-ink-3">{name}</dt>
              <dd className="truncate" title={typeof value === 'string' ? value : undefined}>
                {value}
              </dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

/** JSON as it is. Long values scroll in their own box. */
function Data({ title, value }: { title: string; value: unknown }) {
  const text =
    value === null || value === undefined
      ? null
      : typeof value === 'string'
        ? value
        : JSON.stringify(value, null, 2);
  return (
    <section className="border-b border-line px-6 py-3 last:border-0 max-md:px-4">
      <div className="flex items-center">
        <h2>{title}</h2>
        {text !== null && (
          <Button
            look="ghost"
            size="small"
            className="ml-auto"
            icon={<Copy size={13} />}
            onClick={() => void copy(text, title)}
          >
            Copy
          </Button>
        )}
      </div>
      {text === null ? (
        <p className="text-ink-3">Purged, erased, or none.</p>
      ) : (
        <pre
          className="max-h-90 overflow-auto print:max-h-none leading-4.5 text-ink-2"
          tabIndex={0}
          aria-label={title}
        >
          {visible(text)}
        </pre>
      )}
    </section>
  );
}
