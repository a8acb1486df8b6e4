import { useMutation } from '@tanstack/react-query';
import { Ban, Copy, Play } from 'lucide-react';
import { useApi, useApp } from '../../../data/client.ts';
import { useMay } from '../../../data/roles.ts';
import { useKeys } from '../../../shell/keys.ts';
import { correctedNow } from '../../../time/now.ts';
import { Button, ButtonLink, Kbd } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { Job } from './job.ts';

/** The job's actions; unavailable ones are disabled and say why. */
export function JobActions({ job }: { job: Job }) {
  const api = useApi();
  const { queries } = useApp();
  const may = useMay('retryJob');
  const params = { params: { id: job.id } };
  const settle = {
    onError: (error: Error) => toast({ text: error.message, phase: 'failed' as const }),
    // Under way until the job is read again: until then a second press would act on what is no longer so.
    onSettled: () => queries.invalidateQueries({ queryKey: ['job', job.id] }),
  };
  const retry = useMutation({
    mutationFn: () => api.retryJob(params),
    onSuccess: () =>
      toast({ text: 'Queued again', phase: 'queued', undo: () => api.cancelJob(params) }),
    ...settle,
  });
  // Taking a cancel back queues the job for now: one that waited for its moment, or had failed, would run instead.
  const wasDue = job.state === 'QUEUED' && Date.parse(job.runAt) <= correctedNow();
  const cancel = useMutation({
    mutationFn: () => api.cancelJob(params),
    onSuccess: ({ outcome }) =>
      toast(
        outcome === 'canceled'
          ? {
              text: 'Canceled',
              phase: 'canceled',
              ...(wasDue && { undo: () => api.retryJob(params) }),
            }
          : { text: 'Asked to stop', phase: 'canceled' },
      ),
    ...settle,
  });
  const canRetry = job.state === 'FAILED' || job.state === 'CANCELED';
  const canCancel = job.state === 'QUEUED' || job.state === 'PROCESSING' || job.state === 'FAILED';
  const whyNotRetry =
    may.why ?? (canRetry ? null : 'Only failed and canceled jobs can be retried.');
  const whyNotCancel = may.why ?? (canCancel ? null : 'The job has ended.');
  useKeys({ r: () => whyNotRetry === null && !retry.isPending && retry.mutate() });
  return (
    <>
      <ButtonLink to="/jobs/new" search={{ from: job.id }} icon={<Copy size={14} />}>
        Clone and edit
      </ButtonLink>
      <Button
        icon={<Ban size={14} />}
        why={whyNotCancel}
        disabled={cancel.isPending}
        onClick={() => cancel.mutate()}
      >
        Cancel
      </Button>
      <Button
        look="filled"
        icon={<Play size={14} />}
        why={whyNotRetry}
        disabled={retry.isPending}
        onClick={() => retry.mutate()}
      >
        Retry <Kbd>R</Kbd>
      </Button>
    </>
  );
}
