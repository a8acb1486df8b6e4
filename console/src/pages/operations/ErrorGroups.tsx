import type { Client } from '@millrace/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { Ago } from '../../time/Time.tsx';
import { count, plural } from '../../time/words.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { OwnCode } from '../../ui/own-code.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { type Column, Heading, Table } from '../../ui/table.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { visible } from '../../ui/visible.ts';
import { BulkDialog } from '../jobs/bulk/BulkDialog.tsx';

type Group = Awaited<ReturnType<Client['errorGroups']>>['groups'][number];

const COLUMNS: readonly Column<Group>[] = [
  {
    name: 'Error',
    className: 'max-md:basis-full',
    cell: (group) => <Cause group={group} />,
  },
  { name: 'Last 24 hours', wide: true, cell: ({ hours }) => <Hours hours={hours} /> },
  { name: 'Jobs', align: 'right', cell: (group) => <Counts group={group} /> },
  {
    name: 'Last seen',
    align: 'right',
    wide: true,
    cell: ({ lastAt }) => <Ago at={lastAt} className="text-ink-2" />,
  },
  { name: '', align: 'right', cell: (group) => <Helps group={group} /> },
];

/** Failures grouped by code and cause, each with what helps. */
export function ErrorGroups() {
  const api = useApi();
  const answer = useQuery({
    queryKey: keys.errors(),
    queryFn: () => api.errorGroups(),
    refetchInterval: 30_000,
  });
  const groups = answer.data?.groups ?? [];
  return (
    <section className="mt-5">
      <Heading
        title="Errors"
        note={
          answer.data &&
          `${plural(groups.length, 'group')}, the latest first${answer.data.truncated ? '; only the newest 20,000 jobs were looked at' : ''}`
        }
      />
      {answer.isError && (
        <div className="px-6">
          <Trouble error={answer.error} retry={() => void answer.refetch()} />
        </div>
      )}
      {answer.isSuccess && groups.length === 0 ? (
        <Empty title="No failures">
          Failed and retrying jobs are listed here, grouped by code and cause.
        </Empty>
      ) : (
        <Table label="Errors" columns={COLUMNS} rows={groups} keyOf={({ id }) => id} />
      )}
    </section>
  );
}

function Cause({ group: { code, kind, cause, isNew, advice, filter } }: { group: Group }) {
  return (
    <div className="min-w-0">
      <Link to="/jobs" search={filter} className="hover:underline">
        <OwnCode error={{ code }} /> <code className="text-ink-3">{kind}</code>
      </Link>
      {isNew && (
        <span className="ml-2 rounded-full bg-failed-tint px-1.5 text-axis font-[550] text-failed">
          new
        </span>
      )}
      <div className="max-w-150 truncate text-ink-2" title={advice ?? cause}>
        {visible(cause)}
      </div>
    </div>
  );
}

function Hours({ hours }: { hours: readonly number[] }) {
  const top = Math.max(1, ...hours);
  return (
    <span
      className="inline-flex h-5 items-end gap-px"
      role="img"
      aria-label={`${count(hours.reduce((sum, each) => sum + each, 0))} in the last 24 hours`}
    >
      {hours.map((each, index) => (
        <i
          key={index}
          className={each > 0 ? 'w-1 bg-failed-fill' : 'w-1 bg-press'}
          style={{ height: `${Math.max(8, (100 * each) / top)}%` }}
        />
      ))}
    </span>
  );
}

function Counts({ group: { counts } }: { group: Group }) {
  return (
    <span className="inline-flex flex-col items-end">
      {counts.failed > 0 && (
        <span className="inline-flex items-center gap-1.5">
          <StateIcon phase="failed" size={12} label="failed" /> {count(counts.failed)}
        </span>
      )}
      {counts.retrying > 0 && (
        <span className="inline-flex items-center gap-1.5">
          <StateIcon phase="retrying" size={12} label="retrying" /> {count(counts.retrying)}
        </span>
      )}
    </span>
  );
}

function Helps({ group }: { group: Group }) {
  const may = useMay('freezeBulk');
  const [asking, setAsking] = useState(false);
  if (group.helps === 'waits')
    return <span className="text-small whitespace-nowrap text-ink-3">tries by itself</span>;
  return (
    <>
      <Button
        size="small"
        why={may.why}
        title={group.advice ?? undefined}
        onClick={() => setAsking(true)}
      >
        {group.helps === 'retry' ? 'Retry group' : 'Fixed: retry'}
      </Button>
      {asking && (
        <BulkDialog
          action="retry"
          what={{
            filter: { kind: group.kind, errorCode: group.code, state: 'FAILED' },
            // Jobs of the same kind and code that failed of another cause are another row of this table.
            group: group.id,
          }}
          onClose={() => setAsking(false)}
          onStarted={() => setAsking(false)}
        />
      )}
    </>
  );
}
