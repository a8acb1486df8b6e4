import type { Client, JobFilter } from '@millrace/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useApp } from '../../../data/client.ts';
import { useNow } from '../../../time/now.ts';
import { Time } from '../../../time/Time.tsx';
import { count, plural } from '../../../time/words.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, TextInput } from '../../../ui/field.tsx';
import { StateText, phaseOf } from '../../../ui/state.tsx';
import { toast } from '../../../ui/toast.tsx';
import { Trouble } from '../../../ui/trouble.tsx';

type Frozen = Awaited<ReturnType<Client['freezeBulk']>>;
export type BulkAction = Frozen['action'];

export const VERBS: Readonly<Record<BulkAction, { readonly now: string; readonly done: string }>> =
  {
    retry: { now: 'Retry', done: 'queued again' },
    cancel: { now: 'Cancel', done: 'canceled' },
    priority: { now: 'Move', done: 'moved' },
    delete: { now: 'Delete', done: 'deleted' },
  };

type What =
  | { readonly filter: JobFilter; readonly group?: string }
  | { readonly ids: readonly string[] };

/**
 * The server freezes which jobs are meant and says what would happen; only then the person decides. What is meant does not change
 * while the dialog is open, however much happens meanwhile.
 */
export function BulkDialog({
  action,
  what: asked,
  onClose,
  onStarted,
}: {
  readonly action: BulkAction;
  readonly what: What;
  onClose(): void;
  onStarted(id: string): void;
}) {
  const api = useApi();
  const { queries } = useApp();
  // As it was when the dialog opened: "the last hour" is another hour a minute later.
  const [what] = useState(asked);
  const [priority, setPriority] = useState('10');
  // For `priority` the value may still change, which freezes the list again.
  const value =
    action === 'priority' ? { priority: priority === '' ? null : Number(priority) } : {};
  const frozen = useQuery({
    queryKey: ['bulk', action, what, value],
    queryFn: () =>
      api.freezeBulk({
        body: {
          action,
          ...value,
          ...('ids' in what ? { ids: [...what.ids] } : what),
        },
      }),
    // Also when the live stream reconnects and all other answers are fetched again: an answer to `run` that was lost is asked for
    // once more, of the same freezing, and is the same job.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });
  const run = useMutation({
    mutationFn: (id: string) => api.runBulk({ params: { id } }),
    onSuccess: (started) => {
      const { done } = VERBS[action];
      toast({
        text: `${plural(started.count, 'job')} ${started.count === 1 ? 'is' : 'are'} being ${done}`,
        phase: 'running',
        ...((action === 'cancel' || action === 'priority') && {
          undo: () => api.undoBulk({ params: { id: started.id } }),
        }),
      });
      void queries.invalidateQueries({ queryKey: ['jobs'] });
      onStarted(started.id);
    },
  });
  const ready = frozen.data;
  return (
    <Dialog
      wide
      title={
        ready === undefined ? `${VERBS[action].now} …` : `${VERBS[action].now} ${amount(ready)}?`
      }
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look={action === 'delete' ? 'danger' : 'filled'}
            disabled={ready === undefined || ready.count === 0 || run.isPending}
            onClick={() => ready && run.mutate(ready.id)}
          >
            {VERBS[action].now} {ready && amount(ready)}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {action === 'priority' && (
          <Field id="bulk-priority" label="New priority" hint="Higher first; empty comes last.">
            <TextInput
              id="bulk-priority"
              type="number"
              min={-1000}
              max={1000}
              value={priority}
              onChange={(event) => setPriority(event.target.value)}
            />
          </Field>
        )}
        {frozen.isPending && <p className="text-ink-3">Counting …</p>}
        {frozen.isError && <Trouble error={frozen.error} retry={() => void frozen.refetch()} />}
        {run.isError && <Trouble error={run.error} />}
        {ready && <FrozenFacts frozen={ready} />}
      </div>
    </Dialog>
  );
}

function amount({ count: jobs, more }: Frozen): string {
  return more ? `more than ${plural(jobs, 'job')}` : plural(jobs, 'job');
}

function FrozenFacts({ frozen }: { frozen: Frozen }) {
  const now = useNow();
  return (
    <>
      <p className="text-ink-2">
        As of <Time at={frozen.frozenAt} />: jobs that come later are no part of it.
      </p>
      {frozen.warning !== null && (
        <Banner phase="retrying" title="Retrying will probably not help all of them">
          {frozen.warning}
        </Banner>
      )}
      {frozen.leftOut.length > 0 && (
        <ul className="text-ink-2">
          {frozen.leftOut.map(({ reason, count: jobs, sentence }) => (
            <li key={reason}>
              <b>{count(jobs)} left out.</b> {sentence}
            </li>
          ))}
        </ul>
      )}
      {frozen.causes.length > 0 && (
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {frozen.causes.map(({ code, count: jobs, retryable }) => (
            <li key={code}>
              <code className={retryable ? '' : 'text-failed'}>{code}</code> {count(jobs)}
            </li>
          ))}
        </ul>
      )}
      {frozen.sample.length > 0 && (
        <table className="w-full">
          <caption className="pb-1 text-left text-small text-ink-3">
            Some of them, the newest first
          </caption>
          <tbody>
            {frozen.sample.map((job) => (
              <tr
                key={job.id}
                className="[&>td]:border-t [&>td]:border-line-soft [&>td]:py-1.5 [&>td]:pr-3"
              >
                <td>
                  <StateText phase={phaseOf(job, now)} />
                </td>
                <td className="max-w-50 truncate">{job.key ?? job.id}</td>
                <td className="max-md:hidden">
                  <code>{job.kind}</code>
                </td>
                <td className="max-w-60 truncate text-ink-2 max-md:hidden">{job.error?.message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
