import type { Client } from '@millrace/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../data/client.ts';
import { count, plural } from '../../time/words.ts';
import { Empty } from '../../ui/empty.tsx';
import { Meter } from '../../ui/progress.tsx';
import { type Column, Heading, Table } from '../../ui/table.tsx';
import { Trouble } from '../../ui/trouble.tsx';

type Tenant = Awaited<ReturnType<Client['listTenants']>>['tenants'][number];

const COLUMNS: readonly Column<Tenant>[] = [
  {
    name: 'Tenant',
    cell: ({ name }) => (
      <Link to="/jobs" search={{ tenant: name }} className="text-link hover:underline">
        {name === '' ? '(none)' : name}
      </Link>
    ),
  },
  { name: 'Waiting', align: 'right', cell: ({ waiting }) => count(waiting) },
  { name: 'Running', align: 'right', cell: ({ running }) => count(running) },
  {
    name: 'Failed',
    align: 'right',
    cell: ({ failed }) => <span className={failed > 0 ? 'text-failed' : ''}>{count(failed)}</span>,
  },
  { name: 'Quotas', wide: true, cell: ({ quotas }) => <Quotas quotas={quotas} /> },
];

export function Tenants() {
  const api = useApi();
  const answer = useQuery({
    queryKey: ['tenants'],
    queryFn: () => api.listTenants({ query: { limit: '200' } }),
  });
  const tenants = answer.data?.tenants ?? [];
  if (answer.isError)
    return (
      <div className="px-6">
        <Trouble error={answer.error} />
      </div>
    );
  if (answer.isSuccess && tenants.length === 0)
    return (
      <Empty title="No tenant has jobs">
        With <code>TENANT_CLAIM</code> each caller belongs to tenants, and sees only what is theirs.
      </Empty>
    );
  return (
    <section>
      <Heading title="Tenants" note={plural(tenants.length, 'tenant')} />
      <Table label="Tenants" columns={COLUMNS} rows={tenants} keyOf={({ name }) => name} />
    </section>
  );
}

function Quotas({ quotas }: { quotas: Tenant['quotas'] }) {
  if (quotas.length === 0) return <span className="text-ink-3">none</span>;
  return (
    <ul className="grid gap-1">
      {quotas.map(({ kind, queued, running, waitingNow, runningNow }) => (
        <li key={kind} className="grid grid-cols-[1fr_120px] items-center gap-2 text-small">
          <span>
            <code>{kind}</code>{' '}
            {queued !== null && `${count(waitingNow)} of ${count(queued)} waiting`}{' '}
            {running !== null && `${count(runningNow)} of ${count(running)} running`}
          </span>
          {queued !== null && (
            <Meter
              used={waitingNow}
              limit={queued}
              marks={[0.9]}
              label={`${kind}: ${waitingNow} of ${queued}`}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
