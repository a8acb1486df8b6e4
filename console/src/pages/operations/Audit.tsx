import type { AuditEntry } from '@millrace/api';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Time } from '../../time/Time.tsx';
import { plural } from '../../time/words.ts';
import { TextInput } from '../../ui/field.tsx';
import { Pager } from '../../ui/pager.tsx';
import { StateText } from '../../ui/state.tsx';
import { type Column, Heading, Table } from '../../ui/table.tsx';
import { Trouble } from '../../ui/trouble.tsx';

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: 'When', cell: ({ at }) => <Time at={at} className="whitespace-nowrap text-ink-2" /> },
  {
    name: 'Who',
    cell: ({ actor: who, subject }) => <span title={subject ?? undefined}>{who}</span>,
  },
  { name: 'What', cell: (entry) => <What entry={entry} /> },
  {
    name: 'Outcome',
    wide: true,
    cell: ({ outcome }) => (
      <StateText
        phase={outcome === 'done' ? 'succeeded' : outcome === 'refused' ? 'failed' : 'running'}
        word={outcome}
      />
    ),
  },
];

/** The audit log: actor, action, number of jobs, outcome. */
export function Audit() {
  const api = useApi();
  const navigate = useNavigate();
  const { actor, action, cursor } = useSearch({ from: '/shell/operations' });
  const query = {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(cursor !== undefined && { cursor }),
    limit: '50',
  };
  const answer = useQuery({
    queryKey: keys.audit(query),
    queryFn: () => api.listAudit({ query }),
    placeholderData: keepPreviousData,
  });
  const go = (next: {
    actor?: string | undefined;
    action?: string | undefined;
    cursor?: string | undefined;
  }): void => void navigate({ to: '/operations', search: { tab: 'audit', ...next } });
  return (
    <section>
      <Heading title="Audit" note="newest first">
        <form
          className="flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            const form = new FormData(event.currentTarget);
            const text = (name: string): string | undefined =>
              (form.get(name) as string | null)?.trim() || undefined;
            go({ actor: text('actor'), action: text('action') });
          }}
        >
          <TextInput
            name="actor"
            aria-label="Who"
            placeholder="who"
            defaultValue={actor}
            className="max-w-36"
          />
          <TextInput
            name="action"
            aria-label="What"
            placeholder="what, such as cancelJobs"
            defaultValue={action}
            className="max-w-48"
          />
          <button type="submit" className="sr-only">
            Filter
          </button>
        </form>
      </Heading>
      {answer.isError ? (
        <div className="px-6">
          <Trouble error={answer.error} />
        </div>
      ) : (
        <Table
          label="Audit log"
          columns={COLUMNS}
          rows={answer.data?.entries ?? []}
          keyOf={({ id }) => id}
        />
      )}
      <div className="flex justify-end gap-2 px-6 py-2">
        <Pager
          isFirst={cursor === undefined}
          next={answer.data?.next}
          onNext={(next) => go({ actor, action, cursor: next })}
        />
      </div>
    </section>
  );
}

function What({ entry: { action, target, filter, count } }: { entry: AuditEntry }) {
  return (
    <div className="min-w-0">
      <code>{action}</code> {target !== null && <span className="text-ink-2">{target}</span>}
      <div className="max-w-120 truncate text-small text-ink-3">
        {[filter !== null && JSON.stringify(filter), count !== null && plural(count, 'job')]
          .filter(Boolean)
          .join(', ')}
      </div>
    </div>
  );
}
