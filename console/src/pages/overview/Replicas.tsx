import { Link } from '@tanstack/react-router';
import { Ago } from '../../time/Time.tsx';
import { count } from '../../time/words.ts';
import { type Phase, StateIcon } from '../../ui/state.tsx';
import type { Overview } from './overview.ts';

const PHASES: Readonly<Record<string, Phase>> = {
  running: 'running',
  paused: 'paused',
  stopping: 'paused',
  stopped: 'canceled',
  silent: 'failed',
};

export function Replicas({ replicas }: { replicas: Overview['replicas'] }) {
  const alive = replicas.filter(({ state }) => state !== 'silent').length;
  return (
    <section className="mt-5">
      <div className="mb-1 flex items-baseline">
        <h2>Replicas</h2>
        <span className="ml-auto text-small text-ink-3">
          {alive === replicas.length ? count(alive) : `${alive} of ${replicas.length}`}
        </span>
      </div>
      <ul>
        {replicas.map(({ id, state, inFlight, seenAt }) => (
          <li key={id}>
            <Link to="/operations" className="flex items-center gap-2 py-1 hover:bg-hover">
              <StateIcon phase={PHASES[state] ?? 'queued'} size={13} label={state} />
              <span className="min-w-0 flex-1 leading-4.5 wrap-anywhere">{id}</span>
              <span
                className={`flex-none text-small ${state === 'silent' ? 'text-failed' : 'text-ink-3'}`}
              >
                {state === 'silent' ? (
                  <>
                    silent, seen <Ago at={seenAt} />
                  </>
                ) : state === 'running' ? (
                  `${count(inFlight)} running`
                ) : (
                  state
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
