import { useMutation } from '@tanstack/react-query';
import { Ban, RotateCcw } from 'lucide-react';
import { useApp } from '../../data/client.ts';
import { Button } from '../button.tsx';
import { toast } from '../toast.tsx';

/** The actions of a run: cancel it while it runs, resume it where it stopped. */
export function CancelOrResume({
  isOver,
  why,
  stale,
  cancel,
  resume,
}: {
  readonly isOver: boolean;
  readonly why: string | null;
  /** The answers that are old afterwards. */
  readonly stale: readonly string[];
  cancel(): Promise<unknown>;
  resume(): Promise<unknown>;
}) {
  const { queries } = useApp();
  const act = useMutation({
    mutationFn: isOver ? resume : cancel,
    onError: (error) => toast({ text: error.message, phase: 'failed' }),
    onSettled: () => void queries.invalidateQueries({ queryKey: stale }),
  });
  return (
    <Button
      size="small"
      icon={isOver ? <RotateCcw size={13} /> : <Ban size={13} />}
      why={why}
      disabled={act.isPending}
      onClick={() => act.mutate()}
    >
      {isOver ? 'Resume' : 'Cancel'}
    </Button>
  );
}
