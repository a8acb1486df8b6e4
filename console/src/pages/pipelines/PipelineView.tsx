import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useApi, useApp } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { Time } from '../../time/Time.tsx';
import { count, percent } from '../../time/words.ts';
import { Graph, type GraphNode } from '../../ui/graph.tsx';
import { parametersInWords } from '../../ui/parameters.tsx';
import { Progress } from '../../ui/progress.tsx';
import { CancelOrResume } from '../../ui/runs/CancelOrResume.tsx';
import { RunForm } from '../../ui/runs/RunForm.tsx';
import { STATE_PHASES, StateChip, StateText } from '../../ui/state.tsx';
import { type Column, Heading, Table } from '../../ui/table.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Ticks } from '../reports/Ticks.tsx';
import { type Pipeline, type PipelineRun, STEP_PHASES, type Step } from './pipelines.ts';
import { Steps } from './Steps.tsx';

export function PipelineView({ pipeline }: { pipeline: Pipeline }) {
  const api = useApi();
  const { run: chosen } = useSearch({ strict: false });
  const { data } = useQuery({
    queryKey: [...keys.pipelineRuns(), pipeline.name],
    queryFn: () => api.listPipelineRuns({ query: { pipeline: pipeline.name, limit: '20' } }),
    refetchInterval: ({ state }) =>
      state.data?.runs.some((run) => run.finishedAt === null) === true ? 2_000 : 30_000,
  });
  const runs = data?.runs ?? [];
  const inList = runs.find(({ id }) => id === chosen);
  // An address may name one that is older than the list, or one that is not there for this person.
  const asked = useQuery({
    queryKey: [...keys.pipelineRuns(), pipeline.name, chosen],
    queryFn: () => api.getPipelineRun({ params: { id: chosen ?? '' } }),
    enabled: chosen !== undefined && data !== undefined && inList === undefined,
  });
  const shown = chosen === undefined ? runs[0] : (inList ?? asked.data);
  return (
    <div className="flex min-h-full flex-col">
      <div className="border-b border-line">
        <Graph
          label={`Steps of ${pipeline.title}`}
          nodes={shown === undefined ? pipeline.steps.map(planned) : shown.steps.map(live)}
        />
      </div>
      <div className="grid flex-1 grid-cols-[minmax(0,1fr)_296px] max-lg:block">
        <div>
          {asked.isError && (
            <div className="p-6 max-md:p-4">
              <Trouble error={asked.error} />
            </div>
          )}
          {shown !== undefined && <RunView run={shown} />}
          <section className="border-t border-line pt-3">
            <Heading title="Runs" note="newest first" />
            {runs.length === 0 ? (
              <p className="px-6 py-2 text-ink-3 max-md:px-4">It has not run yet.</p>
            ) : (
              <RunTable runs={runs} />
            )}
          </section>
        </div>
        <aside className="border-l border-line px-5 py-4 max-lg:border-t max-lg:border-l-0">
          <NewRun pipeline={pipeline} />
          <Ticks schedules={pipeline.schedules.map(({ name }) => name)} />
        </aside>
      </div>
    </div>
  );
}

function planned({ name, title, type, after, available }: Pipeline['steps'][number]): GraphNode {
  return {
    id: name,
    title,
    note: available ? type : `${type}: this service cannot do it`,
    phase: null,
    after,
    joins: after.length > 1,
  };
}

function live({ name, title, type, after, state, progress, error, output }: Step): GraphNode {
  const rows = output?.['rows'];
  const note =
    error?.message ??
    (progress === null
      ? typeof rows === 'number'
        ? `${type}, ${count(rows)} rows`
        : type
      : progress.total === null
        ? `${count(progress.done)} so far`
        : `${count(progress.done)} of ${count(progress.total)}`);
  return {
    id: name,
    title,
    note,
    phase: STEP_PHASES[state],
    after,
    joins: after.length > 1,
    ...(state === 'running' &&
      progress?.total != null && {
        extra: (
          <Progress
            className="mt-1 h-1.75"
            parts={[{ of: 'done', count: progress.done }]}
            total={progress.total}
            width={170}
            label={percent(progress.done / Math.max(1, progress.total), 0)}
          />
        ),
      }),
  };
}

function RunView({ run }: { run: PipelineRun }) {
  const api = useApi();
  const may = useMay('resumePipelineRun');
  const params = { params: { id: run.id } };
  return (
    <section className="pt-3">
      <Heading title={run.id} note={<Time at={run.createdAt} />}>
        <StateChip phase={STATE_PHASES[run.state]} />
        {run.state !== 'SUCCEEDED' && (
          <CancelOrResume
            isOver={run.finishedAt !== null}
            why={may.why}
            stale={keys.pipelineRuns()}
            cancel={() => api.cancelPipelineRun(params)}
            resume={() => api.resumePipelineRun(params)}
          />
        )}
      </Heading>
      {run.fileChanged && (
        <p className="px-6 pb-2 text-small text-retrying">
          The file has changed since. This run continues with the version it started with.
        </p>
      )}
      <Steps steps={run.steps} />
    </section>
  );
}

const COLUMNS: readonly Column<PipelineRun>[] = [
  { name: 'State', cell: ({ state }) => <StateText phase={STATE_PHASES[state]} /> },
  { name: 'Run', cell: (run) => <RunLink run={run} /> },
  {
    name: 'By',
    wide: true,
    cell: ({ submitter, schedule }) => (
      <span className="text-ink-2">{schedule === null ? submitter : 'the clock'}</span>
    ),
  },
  {
    name: 'Began',
    align: 'right',
    cell: ({ createdAt }) => <Time at={createdAt} className="text-ink-2" />,
  },
];

function RunTable({ runs }: { runs: readonly PipelineRun[] }) {
  return <Table label="Runs" columns={COLUMNS} rows={runs} keyOf={({ id }) => id} />;
}

function RunLink({ run: { id, pipeline, parameters } }: { run: PipelineRun }) {
  const navigate = useNavigate();
  return (
    <div>
      <button
        type="button"
        className="text-link hover:underline"
        onClick={() =>
          void navigate({ to: '/pipelines/$name', params: { name: pipeline }, search: { run: id } })
        }
      >
        {id}
      </button>
      <div className="text-small text-ink-3">{parametersInWords(parameters)}</div>
    </div>
  );
}

function NewRun({ pipeline: { name, parameters, description, steps } }: { pipeline: Pipeline }) {
  const api = useApi();
  const { queries } = useApp();
  const navigate = useNavigate();
  const may = useMay('startPipeline');
  const unable = steps.find(({ available }) => !available);
  return (
    <RunForm
      parameters={parameters}
      description={description}
      why={
        may.why ??
        (unable === undefined ? null : `This server cannot run the step ${unable.title}.`)
      }
      start={(given) => api.startPipeline({ params: { name }, body: { parameters: given } })}
      onStarted={({ id }) => {
        void queries.invalidateQueries({ queryKey: keys.pipelineRuns() });
        void navigate({ to: '/pipelines/$name', params: { name }, search: { run: id } });
      }}
    >
      <h2>Run it</h2>
    </RunForm>
  );
}
