/** Something that a workload uses up or shares out, for people who watch: calls of a day, slots, room in a cache. */
export interface WorkloadBudget {
  /** Stays the same: `marketing-cloud:calls`. */
  readonly id: string;
  /** For people: `Marketing Cloud`. */
  readonly name: string;
  readonly used: number;
  /** Null: nobody knows one. */
  readonly limit: number | null;
  readonly unit: 'calls' | 'slots' | 'connections' | 'bytes';
  /** How many wait for it. */
  readonly waiting?: number;
  /** In the unit: from there on somebody should look. */
  readonly warnAt?: number;
  /** From there on work stands still. */
  readonly stopAt?: number;
  /** Of a cache: how often it had what was asked for. */
  readonly hitRate?: number;
  readonly detail?: string;
  /** Whose it is; left out, it is the service's. */
  readonly tenant?: string;
}
