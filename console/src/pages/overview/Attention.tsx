import { useApi } from '../../data/client.ts';
import { useMay } from '../../data/roles.ts';
import { Ago } from '../../time/Time.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { ResumeButton } from '../../ui/hold.tsx';
import type { Overview } from './overview.ts';

type Item = Overview['attention'][number];

/** Conditions that need attention, worst first, each with the action that helps. */
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
            className="grid grid-cols-[auto_minmax(0,1fr)_auto_auto] items-start gap-x-3 gap-y-1.5 border-b border-line-soft py-2.5 last:border-0 max-md:grid-cols-[auto_minmax(0,1fr)_auto]"
          >
            <span className="mt-0.5">
              <StateIcon phase={item.level} size={17} />
            </span>
            <div className="min-w-0 max-md:col-span-2">
              <b className="font-[550]">{item.title}</b>
              <p className="text-ink-2">{item.detail}</p>
            </div>
            <span className="text-small whitespace-nowrap text-ink-3 max-md:col-start-2 max-md:self-center">
              {item.since !== null && <Ago at={item.since} />}
            </span>
            <Action item={item} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Action({ item }: { item: Item }) {
  const api = useApi();
  const mayKind = useMay('resumeKind');
  const maySchedule = useMay('resumeSchedule');
  const { state, kind, errorCode } = item.link;
  const target = item.target ?? '';
  const search = {
    ...(state !== undefined && { state }),
    ...(kind !== undefined && { kind }),
    ...(errorCode !== undefined && { errorCode }),
  };
  switch (item.action) {
    case 'resume_kind':
      return (
        <ResumeButton
          what={target}
          why={mayKind.why}
          stale="overview"
          resume={() => api.resumeKind({ params: { kind: target } })}
          undo={() => api.pauseKind({ params: { kind: target } })}
        />
      );
    case 'resume_schedule':
      return (
        <ResumeButton
          what={target}
          why={maySchedule.why}
          stale="overview"
          resume={() => api.resumeSchedule({ params: { name: target } })}
          undo={() => api.pauseSchedule({ params: { name: target } })}
        />
      );
    case 'open_schedule':
      return (
        <ButtonLink size="small" to="/operations" search={{ tab: 'schedules' }}>
          See schedule
        </ButtonLink>
      );
    case 'open_replica':
      return (
        <ButtonLink size="small" to="/operations">
          See replica
        </ButtonLink>
      );
    case 'open_budget':
      return (
        <ButtonLink size="small" to="/" hash="budgets">
          See usage
        </ButtonLink>
      );
    // All jobs of the kind and the code: a group is of one cause, which a filter does not know.
    case 'open_group':
    case 'open_jobs':
      return (
        <ButtonLink size="small" to="/jobs" search={search}>
          See jobs
        </ButtonLink>
      );
    case null:
      return null;
  }
}
