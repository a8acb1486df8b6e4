import { type Answer, json } from '@millrace/simulator-kit';
import type { Cloud } from '../cloud.ts';
import { type Task, liveDataExtensions } from '../data/account.ts';

/** Answers programs below `/_sim/api/`, with null when there is no such thing. */
export function control(cloud: Cloud, method: string, path: readonly string[]): Answer | null {
  switch (`${method} ${path.join('/')}`) {
    case 'GET calls':
      return json(200, { calls: cloud.counter.calls, last: cloud.counter.last() });
    case 'GET tasks':
      return json(200, tasksOf(cloud).map(shownTask));
    case 'POST expire-tokens':
      cloud.tokens.endAll();
      return json(200, stateOf(cloud));
    default:
      return null;
  }
}

/** The newest first. */
export function tasksOf(cloud: Cloud): Task[] {
  const all = [...cloud.units.values()].flatMap((unit) => [...unit.tasks.values()]);
  return all.toSorted((a, b) => Number(b.id) - Number(a.id));
}

function shownTask({ query, ...task }: Task): Record<string, unknown> {
  return { ...task, query: query.customerKey };
}

export function stateOf(cloud: Cloud): unknown {
  return {
    now: cloud.clock.now(),
    origin: cloud.home.origin,
    calls: cloud.counter.calls,
    units: [...cloud.units.values()].map((unit) => ({
      mid: unit.mid,
      dataExtensions: liveDataExtensions(unit, cloud.clock.now()).length,
      queries: unit.queries.size,
      tasks: unit.tasks.size,
    })),
    faults: cloud.faults.list(),
  };
}
