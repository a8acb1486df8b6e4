import type { Replica } from '@millrace/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { Ago } from '../../time/Time.tsx';
import { count, plural, span } from '../../time/words.ts';
import { type Phase, StateText } from '../../ui/state.tsx';
import { type Column, Heading, Table } from '../../ui/table.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { HoldButton, ResumeButton } from '../../ui/hold.tsx';

const PHASES: Readonly<Record<Replica['state'], Phase>> = {
  running: 'running',
  paused: 'paused',
  stopping: 'paused',
  stopped: 'canceled',
  silent: 'failed',
};
const WORDS: Readonly<Record<Replica['state'], string>> = {
  running: 'Running',
  paused: 'Paused',
  stopping: 'Stopping',
  stopped: 'Stopped',
  silent: 'Silent',
};

const COLUMNS: readonly Column<Replica>[] = [
  { name: 'State', cell: ({ state }) => <StateText phase={PHASES[state]} word={WORDS[state]} /> },
  {
    name: 'Replica',
    className: 'max-md:order-last max-md:basis-full',
    cell: (replica) => <Named replica={replica} />,
  },
  { name: 'Slots', wide: true, cell: (replica) => <Slots replica={replica} /> },
  { name: 'Running', wide: true, cell: ({ jobs }) => <Jobs ids={jobs} /> },
  {
    name: 'Done',
    align: 'right',
    wide: true,
    cell: ({ totalSucceeded, totalFailed }) => (
      <Done succeeded={totalSucceeded} failed={totalFailed} />
    ),
  },
  {
    name: 'Up',
    align: 'right',
    wide: true,
    cell: ({ uptimeSeconds }) => span(uptimeSeconds * 1000),
  },
  { name: '', align: 'right', cell: (replica) => <Switch replica={replica} /> },
];

/** The dead first. */
export function Replicas() {
  const api = useApi();
  const answer = useQuery({
    queryKey: keys.replicas(),
    queryFn: () => api.listReplicas(),
    refetchInterval: 10_000,
  });
  const all = answer.data?.replicas ?? [];
  const rows = all.toSorted(
    (a, b) =>
      Number(b.state === 'silent') - Number(a.state === 'silent') || a.id.localeCompare(b.id),
  );
  return (
    <section>
      <Heading title="Replicas" note={answer.data && plural(all.length, 'replica')} />
      {answer.isError && (
        <div className="px-6">
          <Trouble error={answer.error} retry={() => void answer.refetch()} />
        </div>
      )}
      <Table
        label="Replicas"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        rowClass={({ state }) => (state === 'silent' ? 'bg-failed-tint' : '')}
      />
    </section>
  );
}

function Named({
  replica: { id, version, state, seenAt, wanted, takenOver },
}: {
  replica: Replica;
}) {
  return (
    <div className="min-w-0">
      <b className="font-[550]">{id}</b>{' '}
      {version !== null && <span className="text-small text-ink-3">{version}</span>}
      <div className="text-small text-ink-2">
        {state === 'silent' ? (
          <>
            last seen <Ago at={seenAt} />;{' '}
            {takenOver === null
              ? 'its jobs are taken over when their leases end'
              : `${plural(takenOver.count, 'job')} taken over by ${takenOver.by}; nothing was lost`}
          </>
        ) : wanted === null ? (
          <>
            reported <Ago at={seenAt} />
          </>
        ) : (
          <>
            {wanted.state} by {wanted.by ?? 'somebody'} <Ago at={wanted.since} />
            {wanted.reason !== null && `: “${wanted.reason}”`}
          </>
        )}
      </div>
    </div>
  );
}

/** More slots than this are said in figures alone. */
const MOST_DRAWN = 24;

function Slots({ replica: { pools, inFlight } }: { replica: Replica }) {
  const all = pools.reduce((sum, { concurrency }) => sum + concurrency, 0);
  const words = all === 0 ? count(inFlight) : `${count(inFlight)} of ${count(all)}`;
  return (
    <span
      className="inline-flex items-center gap-2"
      title={pools.map((pool) => `${pool.name} ${pool.inFlight}/${pool.concurrency}`).join(', ')}
    >
      {all > 0 && all <= MOST_DRAWN && (
        <span className="inline-flex gap-0.5" aria-hidden="true">
          {Array.from({ length: all }, (_, index) => (
            <i
              key={index}
              className={`h-3 w-1 rounded-[2px] ${index < inFlight ? 'bg-water-1' : 'bg-free'}`}
            />
          ))}
        </span>
      )}
      {words}
    </span>
  );
}

function Jobs({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return <span className="text-ink-3">–</span>;
  return (
    <span className="flex flex-wrap gap-x-2">
      {ids.slice(0, 3).map((id) => (
        <Link key={id} to="/jobs/$id" params={{ id }} className="text-link hover:underline">
          {id}
        </Link>
      ))}
      {ids.length > 3 && <span className="text-ink-3">and {ids.length - 3}</span>}
    </span>
  );
}

function Done({ succeeded, failed }: { succeeded: number; failed: number }) {
  return (
    <span>
      {count(succeeded)}
      {failed > 0 && <span className="text-failed">, {count(failed)} failed</span>}
    </span>
  );
}

function Switch({ replica: { id, state, wanted } }: { replica: Replica }) {
  const api = useApi();
  const may = useMay('pauseReplica');
  const params = { params: { id } };
  if (state === 'silent' || state === 'stopped') return null;
  const resume = (): Promise<unknown> => api.resumeReplica(params);
  if (wanted !== null || state === 'paused')
    return <ResumeButton what={id} why={may.why} stale="replicas" resume={resume} />;
  return (
    <span className="inline-flex gap-2">
      <HoldButton
        word="Pause"
        what={id}
        why={may.why}
        stale="replicas"
        undo={resume}
        hold={(reason) => api.pauseReplica({ ...params, body: { reason } })}
      />
      <HoldButton
        word="Drain"
        what={id}
        why={may.why}
        stale="replicas"
        undo={resume}
        hold={(reason) => api.drainReplica({ ...params, body: { reason } })}
      />
    </span>
  );
}
