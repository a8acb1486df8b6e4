import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Page } from '../../shell/Page.tsx';
import { Ago } from '../../time/Time.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Attention } from './Attention.tsx';
import { Figures } from './Figures.tsx';
import { Flow } from './Flow.tsx';
import { RunningNow } from './RunningNow.tsx';
import { type Overview, WINDOWS, type Window } from './overview.ts';
import { bytes, count, plural } from '../../time/words.ts';
import { Meter } from '../../ui/progress.tsx';
import { type Phase, StateIcon } from '../../ui/state.tsx';

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

/** Limited resources: calls per day, slots, connections. Marks show the thresholds. */
function Budgets({ budgets }: { budgets: Overview['budgets'] }) {
  if (budgets.length === 0) return null;
  return (
    <section id="budgets">
      <h2 className="mb-2">Budgets</h2>
      <ul className="grid gap-2.5">
        {budgets.map(({ id, name, used, limit, unit, warnAt, stopAt, waiting, detail }) => {
          const said = (value: number): string => (unit === 'bytes' ? bytes(value) : count(value));
          const words = limit === null ? said(used) : `${said(used)} of ${said(limit)}`;
          const marks =
            limit === null
              ? []
              : [warnAt, stopAt].flatMap((mark) => (mark === null ? [] : [mark / limit]));
          return (
            <li key={id} title={detail ?? undefined}>
              <div className="flex justify-between gap-2 text-small">
                <span className="text-ink-2">{name}</span>
                <span className="text-ink-3">
                  {words}
                  {waiting !== null && waiting > 0 && `, ${count(waiting)} wait`}
                </span>
              </div>
              {limit !== null && (
                <Meter
                  used={used}
                  limit={limit}
                  marks={marks}
                  label={`${name}: ${words} ${unit}`}
                />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const PHASES: Readonly<Record<string, Phase>> = {
  running: 'running',
  paused: 'paused',
  stopping: 'paused',
  stopped: 'canceled',
  silent: 'failed',
};

function Replicas({ replicas }: { replicas: Overview['replicas'] }) {
  const alive = replicas.filter(({ state }) => state !== 'silent').length;
  return (
    <section className="mt-5">
      <div className="mb-1 flex items-baseline">
        <h2>Replicas</h2>
        <span className="ml-auto text-small text-ink-3">
          {alive === replicas.length ? count(alive) : `${alive} of ${replicas.length}`}
        </span>
      </div>
      <ul>
        {replicas.map(({ id, state, inFlight, seenAt }) => (
          <li key={id}>
            <Link to="/operations" className="flex items-center gap-2 py-1 hover:bg-hover">
              <StateIcon phase={PHASES[state] ?? 'queued'} size={13} label={state} />
              <span className="min-w-0 flex-1 leading-4.5 wrap-anywhere">{id}</span>
              <span
                className={`flex-none text-small ${state === 'silent' ? 'text-failed' : 'text-ink-3'}`}
              >
                {state === 'silent' ? (
                  <>
                    silent, seen <Ago at={seenAt} />
                  </>
                ) : state === 'running' ? (
                  `${count(inFlight)} running`
                ) : (
                  state
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The first thing that is read: does work flow, and does it need me? */
function Saying({ overview }: { overview: Overview }) {
  const { attention, waiting, running, figures } = overview;
  const [first] = attention;
  const isIdle = waiting.due === 0 && running.total === 0 && figures.perMinute === 0;
  const state = sayingOf(waiting.due, running.total, figures.endedLately);
  return (
    <p className="text-lead">
      <b>{state}</b>{' '}
      <span className="text-ink-2">
        {first === undefined
          ? 'Nothing needs attention.'
          : needing(attention.length, first.count ?? 0)}
      </span>
      {isIdle && (
        <>
          {' '}
          <Link to="/welcome" className="text-link underline">
            Make a document, run a query and export a report within a minute
          </Link>
        </>
      )}
    </p>
  );
}

function sayingOf(due: number, running: number, endedLately: number): string {
  if (running > 0 || endedLately > 0) return 'Jobs are running.';
  return due > 0 ? `Nothing is running: ${plural(due, 'job')} due.` : 'Nothing to do.';
}

function needing(issues: number, jobs: number): string {
  if (issues === 1 && jobs > 0)
    return `${plural(jobs, 'job')} ${jobs === 1 ? 'needs' : 'need'} attention.`;
  if (issues === 1) return '1 issue needs attention.';
  const first = jobs > 0 ? `; the first affects ${plural(jobs, 'job')}` : '';
  return `${count(issues)} issues need attention${first}.`;
}
