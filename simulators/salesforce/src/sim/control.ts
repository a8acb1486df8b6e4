import { type Answer, json } from '@millrace/simulator-kit';
import type { Journal } from '../http/journal.ts';
import type { Inside } from '../inside.ts';
import type { Sessions } from '../oauth/sessions.ts';
import type { Org } from '../org.ts';

export interface Parts {
  readonly org: Org;
  readonly inside: Inside;
  readonly journal: Journal;
  readonly sessions: Sessions;
}

/** What programs ask below `/_sim/api/`. Answers null when there is no such thing. */
export function control(parts: Parts, method: string, path: readonly string[]): Answer | null {
  const { org, inside, journal } = parts;
  const [first, second] = path;
  switch (`${method} ${first ?? ''}`) {
    case 'GET calls':
      return json(200, { calls: org.counter.calls, last: journal.list() });
    case 'GET files':
      return json(200, inside.files());
    case 'GET records':
      return json(200, inside.records(second ?? ''));
    case 'GET record': {
      const record = inside.record(second ?? '');
      return record === null ? null : json(200, record);
    }
    case 'POST expire-sessions':
      parts.sessions.endAll();
      return json(200, stateOf(org));
    default:
      return null;
  }
}

export function stateOf(org: Org): unknown {
  const { apex, namespace } = org.settings;
  return {
    now: org.clock.now(),
    origin: org.home.origin,
    apex,
    namespace,
    calls: org.counter.calls,
    fileBytes: org.database.fileBytes,
    waitingForLocks: org.locks.waiting,
    faults: org.faults.list(),
  };
}
