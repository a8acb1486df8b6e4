import { Link } from '@tanstack/react-router';
import { useNow } from '../../../time/now.ts';
import { type Phase, StateIcon, phaseOf } from '../../../ui/state.tsx';
import type { Job } from './job.ts';

const PHASES: Readonly<Record<string, Phase>> = {
  QUEUED: 'queued',
  PROCESSING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'canceled',
};
/** A fan-out of hundreds is shown by its first ones and a number. */
const SHOWN = 6;
/** The service gives so many of the newest: where they are all there, there may be more. */
const GIVEN = 100;

/** The job's ancestors and descendants, from top to bottom. */
export function Family({ job }: { job: Job }) {
  const now = useNow();
  const parents = Object.entries(job.parents ?? {});
  if (parents.length === 0 && job.children.length === 0) return null;
  const rest = job.children.length - SHOWN;
  return (
    <section className="border-b border-line px-6 py-3 max-md:px-4">
      <h2 className="mb-2">Parents and children</h2>
      <div className="flex flex-col items-center">
        {parents.length > 0 && (
          <>
            <ul className="grid w-full grid-cols-2 gap-2">
              {parents.map(([kind, id]) => (
                <li key={id}>
                  <Node id={id} kind={kind} phase="succeeded" />
                </li>
              ))}
            </ul>
            <Stem />
          </>
        )}
        <div className="w-full max-w-52 rounded-node border-2 border-running-fill bg-raised px-3 py-1.5 shadow-control">
          <span className="flex items-center gap-2">
            <StateIcon phase={phaseOf(job, now)} />
            <b className="truncate">this job</b>
          </span>
        </div>
        {job.children.length > 0 && (
          <>
            <Stem />
            <ul className="grid w-full grid-cols-2 gap-2">
              {job.children.slice(0, SHOWN).map(({ id, kind, state }) => (
                <li key={id}>
                  <Node id={id} kind={kind} phase={PHASES[state] ?? 'queued'} />
                </li>
              ))}
            </ul>
            {rest > 0 && (
              <Link
                to="/jobs"
                search={{ correlationId: job.correlationId ?? undefined }}
                className="mt-2 text-small text-link hover:underline"
              >
                and {job.children.length < GIVEN ? '' : 'at least '}
                {rest} more
              </Link>
            )}
          </>
        )}
      </div>
    </section>
  );
}

function Node({ id, kind, phase }: { id: string; kind: string; phase: Phase }) {
  return (
    <Link
      to="/jobs/$id"
      params={{ id }}
      className="block rounded-node border border-line-strong bg-raised px-3 py-1.5 shadow-control hover:bg-hover"
    >
      <span className="flex items-center gap-2">
        <StateIcon phase={phase} />
        <code className="truncate">{kind}</code>
      </span>
      <span className="block truncate pl-5.5 text-small text-ink-3">{id}</span>
    </Link>
  );
}

function Stem() {
  return <i aria-hidden="true" className="h-4 w-px bg-line-strong" />;
}
