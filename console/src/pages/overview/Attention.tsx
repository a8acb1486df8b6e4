import { useMutation } from '@tanstack/react-query';
import { useApi, useApp } from '../../data/client.ts';
import { useMay } from '../../data/roles.ts';
import { Ago } from '../../time/Time.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { toast } from '../../ui/toast.tsx';
import type { Overview } from './overview.ts';

type Item = Overview['attention'][number];

/** What needs somebody, the worst first, each with the one action that helps. */
export function Attention({ items }: { items: readonly Item[] }) {
  return (
    <section className="px-6 py-3 max-md:px-4">
      <h2 className="mb-1.5">Needs attention</h2>
      {items.length === 0 && (
        <p className="py-2 text-ink-3">Nothing. What goes wrong is listed here, with what helps.</p>
      )}
      <ul>
        {items.map((item) => (
          <li
            key={item.id}
            className="flex flex-wrap items-start gap-x-3 gap-y-1 border-b border-line-soft py-2.5 last:border-0"
          >
            <span className="mt-0.5">
              <StateIcon phase={item.level} size={17} />
            </span>
            <div className="min-w-0 flex-[1_1_12rem]">
              <b className="font-[550]">{item.title}</b>
              <p className="text-ink-2">{item.detail}</p>
            </div>
            {item.since !== null && <Ago at={item.since} className="text-small text-ink-3" />}
            <Action item={item} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Action({ item }: { item: Item }) {
  const { state, kind, errorCode } = item.link;
  const search = {
    ...(state !== undefined && { state }),
    ...(kind !== undefined && { kind }),
    ...(errorCode !== undefined && { errorCode }),
  };
  switch (item.action) {
    case 'resume_kind':
      return <Resume kind={item.target ?? ''} />;
    case 'open_replica':
      return (
        <ButtonLink size="small" to="/operations">
          See replica
        </ButtonLink>
      );
    case 'open_group':
      return (
        <ButtonLink size="small" to="/jobs" search={search}>
          Open group
        </ButtonLink>
      );
    case 'open_jobs':
      return (
        <ButtonLink size="small" to="/jobs" search={search}>
          See jobs
        </ButtonLink>
      );
    default:
      return null;
  }
}

function Resume({ kind }: { kind: string }) {
  const api = useApi();
  const { queries } = useApp();
  const may = useMay('resumeKind');
  const resume = useMutation({
    mutationFn: () => api.resumeKind({ params: { kind } }),
    onSuccess: () => {
      toast({ text: `${kind} runs again`, undo: () => void api.pauseKind({ params: { kind } }) });
      void queries.invalidateQueries({ queryKey: ['overview'] });
    },
    onError: (error) => toast({ text: error.message, phase: 'failed' }),
  });
  return (
    <Button size="small" why={may.why} disabled={resume.isPending} onClick={() => resume.mutate()}>
      Resume
    </Button>
  );
}
