import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { Ago } from '../../time/Time.tsx';
import { ResumeButton } from '../../ui/hold.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { Heading } from '../../ui/table.tsx';

/** Kinds and schedules that somebody holds back: who, since when, why, and the way out. Nothing, where nothing is held. */
export function HeldBack() {
  const api = useApi();
  const mayKind = useMay('resumeKind');
  const maySchedule = useMay('resumeSchedule');
  const kinds = useQuery({ queryKey: keys.kinds(), queryFn: () => api.listKinds() });
  const schedules = useQuery({ queryKey: keys.schedules(), queryFn: () => api.listSchedules() });
  const held = [
    ...(kinds.data?.kinds ?? []).map(({ name, paused }) => ({
      name,
      paused,
      what: 'kind',
      why: mayKind.why,
      stale: 'kinds',
      resume: () => api.resumeKind({ params: { kind: name } }),
    })),
    ...(schedules.data?.schedules ?? []).map(({ name, paused }) => ({
      name,
      paused,
      what: 'schedule',
      why: maySchedule.why,
      stale: 'schedules',
      resume: () => api.resumeSchedule({ params: { name } }),
    })),
  ];
  const shown = held.flatMap(({ paused, ...each }) =>
    paused === null ? [] : [{ ...each, paused }],
  );
  if (shown.length === 0) return null;
  return (
    <section className="mt-5">
      <Heading title="Paused" note="until somebody resumes it" />
      <ul className="border-t border-line">
        {shown.map(({ name, what, why, stale, resume, paused: { by, since, reason } }) => (
          <li
            key={`${what} ${name}`}
            className="flex items-center gap-x-3 border-b border-line-soft px-6 py-2 max-md:px-4"
          >
            <StateIcon phase="paused" />
            <span className="min-w-0 flex-1">
              <code>{name}</code> <span className="text-ink-3">{what}</span>
              <span className="block text-small text-ink-2">
                {by ?? 'somebody'}, <Ago at={since} />
                {reason !== null && `: “${reason}”`}
              </span>
            </span>
            <ResumeButton what={name} why={why} stale={stale} resume={resume} />
          </li>
        ))}
      </ul>
    </section>
  );
}
