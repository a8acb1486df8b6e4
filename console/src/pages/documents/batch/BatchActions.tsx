import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ban, Download, FileDown, Play } from 'lucide-react';
import { useApi } from '../../../data/client.ts';
import { download } from '../../../data/download.ts';
import { keys } from '../../../data/keys.ts';
import { useMay } from '../../../data/roles.ts';
import { plural } from '../../../time/words.ts';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.tsx';
import { isOver } from '../things.ts';
import type { Batch } from '../types.ts';

/** The actions of a batch. */
export function BatchActions({ batch }: { batch: Batch }) {
  const api = useApi();
  const queries = useQueryClient();
  const params = { params: { id: batch.id } };
  const mayChange = useMay('cancelBatch');
  const mayTake = useMay('downloadBatch');
  const settle = {
    onError: (error: Error) => toast({ text: error.message, phase: 'failed' as const }),
    onSettled: () => void queries.invalidateQueries({ queryKey: keys.batches() }),
  };
  const retry = useMutation({
    mutationFn: () => api.retryBatch(params),
    onSuccess: ({ retried }) =>
      toast({ text: `${plural(retried, 'row')} queued again`, phase: 'running' }),
    ...settle,
  });
  const cancel = useMutation({
    mutationFn: () => api.cancelBatch(params),
    onSuccess: ({ canceled }) =>
      toast({
        text: `Canceled, ${plural(canceled, 'row')} not generated`,
        phase: 'canceled',
        undo: async () => retry.mutate(),
      }),
    ...settle,
  });
  const over = isOver(batch);
  const again = batch.counts.failed + batch.counts.canceled;
  const notYet = over ? null : 'Wait until the batch has ended, or cancel it.';
  const nothing = batch.counts.succeeded === 0 ? 'The batch has no documents.' : null;
  return (
    <>
      <Button
        icon={<Download size={14} />}
        why={mayTake.why ?? notYet ?? nothing}
        onClick={() =>
          void download(`${batch.id}.zip`, () => api.downloadBatch(params), { large: true })
        }
      >
        ZIP
      </Button>
      <Button
        icon={<FileDown size={14} />}
        why={mayTake.why ?? notYet ?? nothing}
        onClick={() => void download(`${batch.id}.pdf`, () => api.downloadMerged(params))}
      >
        One PDF
      </Button>
      {over ? (
        <Button
          icon={<Play size={14} />}
          why={mayChange.why ?? (again === 0 ? 'Every row has its document.' : null)}
          disabled={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry {again > 0 ? plural(again, 'row') : ''}
        </Button>
      ) : (
        <Button
          icon={<Ban size={14} />}
          why={mayChange.why}
          disabled={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          Cancel
        </Button>
      )}
    </>
  );
}
