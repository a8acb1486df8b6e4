import type { Dependants } from '@millrace/engine';
import type { Database } from '../database.ts';
import type { Tally } from '../figures.ts';
import type { Ids } from '../ids.ts';

/** The parts that every operation works with. */
export interface Context {
  readonly database: Database;
  readonly ids: Ids;
  readonly dependants: Dependants;
  /** A claim of so many jobs or more gives them one lease together. */
  readonly shareLeaseFrom: number;
  /** Hears what is made and ended here. */
  readonly tally: Tally;
}

/** Priority as the queue orders it: ascending, none last. */
export const NO_PRIORITY_RANK = 32_767;

export function rankOf(priority: number | null): number {
  return priority === null ? NO_PRIORITY_RANK : -priority;
}
