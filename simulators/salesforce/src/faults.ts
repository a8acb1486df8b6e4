import type { Random } from './random.ts';

/**
 * `latency`: waits `ms` before anything else. `hold`: the transaction is done and not committed, its locks held,
 * until the fault is taken away. `unavailable`: 503. `cut-before`: the connection ends before anything happened.
 * `cut-after`: it ends after the commit. `gateway`, `gateway-after`: the same, but a gateway before the org answers
 * in its place, with a page (502, or `status`). `session-expired`: 401, and the session is gone. `limit`: 403, the day's
 * calls are used up. `crowded`: 403, too many long requests at once. `lock`: a row cannot be had. `storage`: there is no
 * room for a record. `query-timeout`: a query, or one of Apex REST, takes too long. `apex-error`: Apex REST hits a
 * governor limit, which nothing catches. `hidden`: the user has no right to see an object (`object`), or no part in a record
 * (`record`); only descriptions and UserRecordAccess say so. `read-only`: the user may not create or change an `object`,
 * as its description says.
 */
export const FAULT_KINDS = [
  'latency',
  'hold',
  'unavailable',
  'cut-before',
  'cut-after',
  'gateway',
  'gateway-after',
  'session-expired',
  'limit',
  'crowded',
  'lock',
  'storage',
  'query-timeout',
  'apex-error',
  'hidden',
  'read-only',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultSpec {
  readonly kind: FaultKind;
  /** `POST`. Left out: every method. */
  readonly method?: string;
  /** A pattern in the path, `composite/graph$`. Left out: every path. */
  readonly path?: string;
  /** For `lock` and `storage`: the id of a record. */
  readonly record?: string;
  /** For `lock` and `storage`: the name of an object. */
  readonly object?: string;
  /** Milliseconds of `latency`. */
  readonly ms?: number;
  /** Of a `gateway`: 502 unless told, 503 or 504. */
  readonly status?: number;
  /** How often it strikes before it is gone. Left out: until it is taken away. */
  readonly times?: number;
  /** Strikes each n-th time that it could. */
  readonly every?: number;
  /** Strikes by chance, 0 to 1, drawn from the seed. */
  readonly probability?: number;
}

export interface Fault extends FaultSpec {
  readonly id: number;
  /** How often it struck. */
  readonly struck: number;
}

export interface Faults {
  add(spec: FaultSpec): Fault;
  remove(id: number): boolean;
  clear(): void;
  list(): readonly Fault[];
}

/** What a fault may be about besides the request. */
export interface Target {
  readonly record?: string;
  readonly object?: string;
}

/** The faults as one request meets them. */
export interface Strikes {
  strikes(kind: FaultKind, target?: Target): Fault | null;
  /** Ends at once unless a `hold` strikes; then when that fault is taken away. */
  held(): Promise<void>;
}

interface Entry {
  readonly id: number;
  readonly spec: FaultSpec;
  readonly path: RegExp | null;
  readonly wake: (() => void)[];
  chances: number;
  struck: number;
}

export interface FaultBoard extends Faults {
  meet(method: string, path: string): Strikes;
}

export function createFaults(random: Random): FaultBoard {
  const entries = new Map<number, Entry>();
  let ids = 0;

  function remove(id: number): boolean {
    const entry = entries.get(id);
    entries.delete(id);
    for (const wake of entry?.wake.splice(0) ?? []) wake();
    return entry !== undefined;
  }

  function draw(entry: Entry): boolean {
    const { times, every = 1, probability = 1 } = entry.spec;
    if (times !== undefined && entry.struck >= times) return false;
    entry.chances += 1;
    if (entry.chances % every !== 0) return false;
    if (probability < 1 && random() >= probability) return false;
    entry.struck += 1;
    return true;
  }

  function find(kind: FaultKind, method: string, path: string, target: Target): Entry | null {
    for (const entry of entries.values()) {
      const { spec } = entry;
      const isMeant =
        spec.kind === kind &&
        (spec.method === undefined || spec.method.toUpperCase() === method) &&
        (entry.path === null || entry.path.test(path)) &&
        (spec.record === undefined || spec.record.slice(0, 15) === target.record?.slice(0, 15)) &&
        (spec.object === undefined || spec.object.toLowerCase() === target.object?.toLowerCase());
      if (isMeant && draw(entry)) return entry;
    }
    return null;
  }

  return {
    add(spec) {
      checkSpec(spec);
      ids += 1;
      const path = spec.path === undefined ? null : new RegExp(spec.path);
      const entry: Entry = { id: ids, spec: { ...spec }, path, wake: [], chances: 0, struck: 0 };
      entries.set(ids, entry);
      return shown(entry);
    },
    remove,
    clear() {
      for (const id of entries.keys()) remove(id);
    },
    list: () => [...entries.values()].map(shown),
    meet: (method, path) => ({
      strikes(kind, target = {}) {
        const entry = find(kind, method, path, target);
        if (entry === null) return null;
        const fault = shown(entry);
        // A spent fault is gone; one that still holds someone stays until it is taken away.
        if (kind !== 'hold' && entry.struck === entry.spec.times) entries.delete(entry.id);
        return fault;
      },
      async held() {
        const entry = find('hold', method, path, {});
        if (entry !== null) await new Promise<void>((resolve) => entry.wake.push(resolve));
      },
    }),
  };
}

function shown({ id, spec, struck }: Entry): Fault {
  return { ...spec, id, struck };
}

function checkSpec({ kind, path, ms, times, every, probability, status = 502 }: FaultSpec): void {
  if (!FAULT_KINDS.includes(kind))
    throw invalidFault(`kind: give one of ${FAULT_KINDS.join(', ')}.`);
  for (const [name, number] of Object.entries({ ms, times, every })) {
    if (number !== undefined && (!Number.isInteger(number) || number < 1)) {
      throw invalidFault(`${name}: give a whole number from 1.`);
    }
  }
  if (![502, 503, 504].includes(status)) throw invalidFault('status: give 502, 503 or 504.');
  if (kind === 'latency' && ms === undefined)
    throw invalidFault('ms: say how long, in milliseconds.');
  if (probability !== undefined && !(probability >= 0 && probability <= 1)) {
    throw invalidFault('probability: give a number from 0 to 1.');
  }
  if (path !== undefined) {
    try {
      void new RegExp(path);
    } catch {
      throw invalidFault('path: that is no regular expression.');
    }
  }
}

function invalidFault(message: string): Error {
  return Object.assign(new Error(message), { code: 'invalid_fault' });
}
