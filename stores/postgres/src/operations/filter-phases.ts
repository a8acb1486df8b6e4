import { type JobState, type Phase, STATE_OF_PHASE } from '@millrace/engine';

/** Where a job of this phase can wait; what is due in `scheduled` waits to be promoted. */
export function tablesOf(phase: Phase | undefined): string[] {
  if (phase === 'retrying') return ['millrace.scheduled WHERE attempt > 0'];
  if (phase === 'scheduled') return ['millrace.scheduled'];
  const later = phase === 'due' ? ' WHERE run_at <= millrace.clock()' : '';
  return ['millrace.ready', `millrace.scheduled${later}`, 'millrace.suspect'];
}

export const IS_STATE: Readonly<Record<JobState, string>> = {
  QUEUED: `j.state = 'QUEUED' AND l.seq IS NULL`,
  PROCESSING: 'l.seq IS NOT NULL',
  SUCCEEDED: `j.state = 'SUCCEEDED'`,
  FAILED: `j.state = 'FAILED'`,
  CANCELED: `j.state = 'CANCELED'`,
};
/** Of a job that waits. */
const IN_QUEUE: Readonly<Partial<Record<Phase, string>>> = {
  due: 'j.run_at <= millrace.clock()',
  scheduled: 'j.run_at > millrace.clock() AND j.error IS NULL',
  retrying: 'j.run_at > millrace.clock() AND j.error IS NOT NULL',
};

export function waitsIn(phase: Phase | undefined): string[] {
  const condition = phase === undefined ? undefined : IN_QUEUE[phase];
  return condition === undefined ? [] : [condition];
}

export function inPhases(phases: readonly Phase[]): string[] {
  const each = phases.map(
    (phase) => `(${[IS_STATE[STATE_OF_PHASE[phase]], ...waitsIn(phase)].join(' AND ')})`,
  );
  return each.length === 0 ? [] : [`(${each.join(' OR ')})`];
}
