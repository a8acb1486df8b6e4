import type { BulkActionJson } from '@millrace/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Undo2, X } from 'lucide-react';
import { useApi, useApp } from '../../../data/client.ts';
import { useMay } from '../../../data/roles.ts';
import { count, plural } from '../../../time/words.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { StateIcon } from '../../../ui/state.tsx';
import { toast } from '../../../ui/toast.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { type JobsSearch } from '../search.ts';
import { VERBS } from './BulkDialog.tsx';

/** How far an action on many jobs is. Its id is in the address, so a reload, or a link, shows the same. */
export function BulkStrip({ id, search }: { id: string; search: JobsSearch }) {
  const api = useApi();
  const { queries } = useApp();
  const navigate = useNavigate();
  const may = useMay('undoBulk');
  const answer = useQuery({
    queryKey: ['bulk', id],
    queryFn: () => api.getBulk({ params: { id } }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? 1_000 : false),
  });
  const undo = useMutation({
    mutationFn: () => api.undoBulk({ params: { id } }),
    onError: (error) => toast({ text: error.message, phase: 'failed' }),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['bulk', id] });
      void queries.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
  const close = (): void =>
    void navigate({ to: '/jobs', search: { ...search, bulk: undefined }, replace: true });
  const bulk = answer.data;
  if (bulk === undefined)
    return answer.isError ? (
      <div className="px-6 pb-2 max-md:px-4">
        <Trouble error={answer.error} />
      </div>
    ) : null;
  return (
    <section
      aria-label="Bulk action"
      className="mx-6 mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-node border border-line bg-well px-3 py-1.5 max-md:mx-4"
      style={{ '--knock': 'var(--well)' } as React.CSSProperties}
    >
      <StateIcon phase={PHASES[bulk.state]} />
      <span role="status">{inWords(bulk)}</span>
      {bulk.state === 'running' && bulk.progress?.total !== undefined && (
        <Progress
          parts={[{ of: 'done', count: bulk.progress.done }]}
          total={bulk.progress.total}
          label={`${count(bulk.progress.done)} of ${count(bulk.progress.total)} jobs`}
          width={128}
          className="h-1.75 w-32"
        />
      )}
      {bulk.job !== null && (
        <Link to="/jobs/$id" params={{ id: bulk.job }} className="text-link hover:underline">
          {bulk.job}
        </Link>
      )}
      <span className="ml-auto flex items-center gap-1">
        {bulk.undo.possible && (
          <Button
            size="small"
            icon={<Undo2 size={13} />}
            why={may.why}
            title={bulk.undo.sentence}
            disabled={undo.isPending}
            onClick={() => undo.mutate()}
          >
            Undo
          </Button>
        )}
        <IconButton label="Close" onClick={close}>
          <X size={14} />
        </IconButton>
      </span>
    </section>
  );
}

const PHASES = {
  frozen: 'paused',
  running: 'running',
  done: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
} as const;

function inWords({ action, state, count: jobs, more, result, undo }: BulkActionJson): string {
  const { now, done } = VERBS[action];
  const meant = `${more ? 'more than ' : ''}${plural(jobs, 'job')}`;
  if (undo.job !== null) return `${now} ${meant}: ${undo.sentence}`;
  if (state === 'frozen') return `${now} ${meant}: frozen, not done.`;
  const parts = [
    ...(result === null ? [] : [`${count(result.changed + result.requested)} ${done}`]),
    ...(result !== null && result.skipped > 0 ? [`${count(result.skipped)} had moved on`] : []),
    ...(result !== null && result.failed > 0 ? [`${count(result.failed)} refused`] : []),
  ];
  const words = parts.join(', ') || 'begun';
  return state === 'running' ? `${now} ${meant}: ${words} so far` : `${now} ${meant}: ${words}.`;
}
