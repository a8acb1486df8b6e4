import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useApp } from '../data/client.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field, TextInput } from './field.tsx';
import { toast } from './toast.tsx';
import { Trouble } from './trouble.tsx';

/** Asks why before something is held back: who finds it paused tomorrow wants to know. */
export function HoldButton({
  word,
  what,
  why,
  stale,
  hold,
  undo,
}: {
  readonly word: string;
  readonly what: string;
  readonly why: string | null;
  /** The first word of the answers that are old afterwards. */
  readonly stale: string;
  hold(reason: string | undefined): Promise<unknown>;
  undo?: () => Promise<unknown>;
}) {
  const { queries } = useApp();
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const refresh = (): void => void queries.invalidateQueries({ queryKey: [stale] });
  const act = useMutation({
    mutationFn: () => hold(reason.trim() === '' ? undefined : reason.trim()),
    onSuccess: () => {
      setAsking(false);
      toast({
        text: `${word}: ${what}`,
        phase: 'paused',
        ...(undo && { undo: () => undo().finally(refresh) }),
      });
    },
    onSettled: refresh,
  });
  const form = useId();
  return (
    <>
      <Button
        size="small"
        why={why}
        onClick={() => {
          act.reset();
          setAsking(true);
        }}
      >
        {word}
      </Button>
      {asking && (
        <Dialog
          title={`${word} ${what}?`}
          onClose={() => setAsking(false)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>Back</Button>
              <Button type="submit" form={form} look="filled" disabled={act.isPending}>
                {word}
              </Button>
            </>
          }
        >
          <form
            id={form}
            className="grid gap-3"
            onSubmit={(event) => {
              event.preventDefault();
              if (!act.isPending) act.mutate();
            }}
          >
            <Field
              id="reason"
              label="Why"
              hint="Shown to everybody who sees the pause, and kept in the audit log."
            >
              <TextInput
                id="reason"
                maxLength={200}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            </Field>
            {act.isError && <Trouble error={act.error} />}
          </form>
        </Dialog>
      )}
    </>
  );
}

/** The other end of the switch asks nothing. */
export function ResumeButton({
  what,
  why,
  stale,
  resume,
  undo,
}: {
  what: string;
  why: string | null;
  stale: string;
  resume(): Promise<unknown>;
  undo?: () => Promise<unknown>;
}) {
  const { queries } = useApp();
  const refresh = (): void => void queries.invalidateQueries({ queryKey: [stale] });
  const act = useMutation({
    mutationFn: resume,
    onSuccess: () =>
      toast({
        text: `${what} runs again`,
        ...(undo && { undo: () => undo().finally(refresh) }),
      }),
    onError: (error) => toast({ text: error.message, phase: 'failed' }),
    onSettled: refresh,
  });
  return (
    <Button size="small" why={why} disabled={act.isPending} onClick={() => act.mutate()}>
      Resume
    </Button>
  );
}
