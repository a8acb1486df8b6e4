import type { FireParams, Fired, ScheduleStatus } from '@millrace/engine';
import type { Violations } from './invariants.ts';
import type { Ledger } from './ledger.ts';

/** The ticks of each schedule that were taken, by the observer's own count. */
export interface Ticks {
  synced(statuses: readonly ScheduleStatus[]): void;
  fired(params: FireParams, answer: Fired): void;
  readonly of: ReadonlyMap<string, ScheduleTicks>;
  /** Gives a function that forgets the ticks since: of those nobody can say whether their jobs are lost. */
  snapshot(): () => void;
}

export interface ScheduleTicks {
  /** The first moment that counts: when the schedule became known. */
  readonly since: number;
  last: number;
  /** The ticks that made a job. */
  readonly run: number[];
  lastJob: string | null;
}

export function createTicks(given: { ledger: Ledger; violations: Violations }): Ticks {
  const { ledger, violations } = given;
  const schedules = new Map<string, ScheduleTicks>();

  function synced(statuses: readonly ScheduleStatus[]): void {
    for (const { name, lastTick } of statuses) {
      const known = schedules.get(name);
      if (known === undefined)
        schedules.set(name, { since: lastTick, last: lastTick, run: [], lastJob: null });
      else
        violations.expect(
          lastTick === known.last,
          'ticks',
          () => `${name} was synchronised to ${lastTick}, its last tick was ${known.last}`,
        );
    }
  }

  function fired(params: FireParams, answer: Fired): void {
    const { schedule, tick, job, skipOverlap, keepOverlap = false } = params;
    const known = schedules.get(schedule);
    if (tick === null) return; // by hand: no tick is taken
    if (known === undefined)
      return violations.expect(
        answer.type === 'unknown',
        'ticks',
        () => `${schedule}, which is not known, was answered "${answer.type}"`,
      );
    const why = (): string =>
      `tick ${tick} of ${schedule}, after ${known.last}, was answered "${answer.type}"`;
    const alive = isAlive(known.lastJob);
    violations.expect(
      answer.type === expected(tick <= known.last, job === null, skipOverlap && alive),
      'ticks',
      why,
    );
    if (answer.type === 'taken' || (answer.type === 'overlap' && keepOverlap)) return;
    known.last = Math.max(known.last, tick);
    if (answer.type !== 'fired') return;
    violations.expect(
      !known.run.includes(tick),
      'ticks',
      () => `tick ${tick} of ${schedule} ran twice`,
    );
    known.run.push(tick);
    known.lastJob = answer.id;
  }

  function isAlive(id: string | null): boolean {
    const state = ledger.jobs.get(id ?? '')?.state;
    return state === 'QUEUED' || state === 'PROCESSING';
  }

  function snapshot(): () => void {
    const then = new Map(
      [...schedules].map(([name, ticks]) => [name, { ...ticks, run: [...ticks.run] }]),
    );
    return () => {
      const last = new Map([...schedules].map(([name, ticks]) => [name, ticks.last]));
      schedules.clear();
      for (const [name, ticks] of then) {
        const since = Math.max(ticks.since, last.get(name) ?? 0);
        schedules.set(name, { ...ticks, since });
      }
    };
  }

  return { synced, fired, of: schedules, snapshot };
}

function expected(taken: boolean, passes: boolean, overlaps: boolean): Fired['type'] {
  if (taken) return 'taken';
  if (passes) return 'passed';
  return overlaps ? 'overlap' : 'fired';
}
