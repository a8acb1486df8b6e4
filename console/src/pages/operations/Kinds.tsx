import type { Kind } from '@millrace/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { Ago } from '../../time/Time.tsx';
import { count, plural, span } from '../../time/words.ts';
import { type Column, Heading, Table } from '../../ui/table.tsx';
import { HoldButton, ResumeButton } from '../../ui/hold.tsx';

const COLUMNS: readonly Column<Kind>[] = [
  { name: 'Kind', cell: (kind) => <Named kind={kind} /> },
  {
    name: 'Retries',
    wide: true,
    cell: ({ policy }) => <span className="text-ink-2">{policy}</span>,
  },
  { name: 'Timeout', align: 'right', wide: true, cell: ({ timeoutMs }) => span(timeoutMs) },
  {
    name: 'Concurrency',
    align: 'right',
    wide: true,
    cell: ({ concurrency }) => (concurrency === null ? 'no limit' : count(concurrency)),
  },
  { name: '', align: 'right', cell: (kind) => <Switch kind={kind} /> },
];

/** The kinds with their retry policies and pauses. */
export function Kinds() {
  const api = useApi();
  const { data } = useQuery({
    queryKey: keys.kinds(),
    queryFn: () => api.listKinds(),
    // No event says that somebody else paused one.
    refetchInterval: 10_000,
  });
  const kinds = (data?.kinds ?? []).toSorted(
    (a, b) => Number(b.paused !== null) - Number(a.paused !== null) || a.name.localeCompare(b.name),
  );
  return (
    <section>
      <Heading title="Kinds" note={plural(kinds.length, 'kind')} />
      <Table label="Kinds" columns={COLUMNS} rows={kinds} keyOf={({ name }) => name} />
    </section>
  );
}

function Named({ kind: { name, paused, public: isPublic } }: { kind: Kind }) {
  return (
    <div>
      <Link to="/jobs" search={{ kind: name }} className="hover:underline">
        <code>{name}</code>
      </Link>
      <div className="text-small text-ink-3">
        {paused === null ? (
          isPublic ? (
            'public'
          ) : (
            'internal'
          )
        ) : (
          <span className="text-paused">
            paused by {paused.by ?? 'somebody'} <Ago at={paused.since} />
            {paused.reason !== null && `: “${paused.reason}”`}
          </span>
        )}
      </div>
    </div>
  );
}

function Switch({ kind: { name, paused } }: { kind: Kind }) {
  const api = useApi();
  const may = useMay('pauseKind');
  const params = { params: { kind: name } };
  const resume = (): Promise<unknown> => api.resumeKind(params);
  if (paused !== null)
    return <ResumeButton what={name} why={may.why} stale="kinds" resume={resume} />;
  return (
    <HoldButton
      word="Pause"
      what={name}
      why={may.why}
      stale="kinds"
      undo={resume}
      hold={(reason) => api.pauseKind({ ...params, body: { reason } })}
    />
  );
}
