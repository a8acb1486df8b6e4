import { checkSpec, type FaultRules, type FaultSpec } from './fault-rules.ts';

/** A fault that is switched on. */
export type Fault<Spec extends FaultSpec> = Spec & {
  readonly id: number;
  /** How often it struck. */
  readonly struck: number;
};

/** For tests: what goes wrong from now on. */
export interface Faults<Spec extends FaultSpec> {
  add(spec: Spec): Fault<Spec>;
  remove(id: number): boolean;
  clear(): void;
  list(): readonly Fault<Spec>[];
}

/** The faults as one request meets them. */
export interface Strikes<Spec extends FaultSpec, Target = void> {
  /** The fault of this kind that strikes now, if one does. */
  strikes(kind: Spec['kind'], target?: Target): Fault<Spec> | null;
  /** Ends at once unless a fault of this kind strikes; then when that fault is taken away. */
  held(kind: Spec['kind'], target?: Target): Promise<void>;
}

/** All that is switched on, and the rules by which it strikes. */
export interface FaultBoard<Spec extends FaultSpec, Target = void> extends Faults<Spec> {
  readonly rules: FaultRules<Spec, Target>;
  meet(method: string, path: string): Strikes<Spec, Target>;
}

interface Entry<Spec> {
  readonly id: number;
  readonly spec: Spec;
  readonly path: RegExp | null;
  readonly wake: (() => void)[];
  chances: number;
  struck: number;
}

export function createFaults<Spec extends FaultSpec, Target = void>(
  rules: FaultRules<Spec, Target>,
): FaultBoard<Spec, Target> {
  const entries = new Map<number, Entry<Spec>>();
  let ids = 0;

  function remove(id: number): boolean {
    const entry = entries.get(id);
    entries.delete(id);
    for (const wake of entry?.wake.splice(0) ?? []) wake();
    return entry !== undefined;
  }

  function draw(entry: Entry<Spec>): boolean {
    const { times, every = 1, probability = 1 } = entry.spec;
    if (times !== undefined && entry.struck >= times) return false;
    entry.chances += 1;
    if (entry.chances % every !== 0) return false;
    if (probability < 1 && rules.random() >= probability) return false;
    entry.struck += 1;
    return true;
  }

  function meet(method: string, path: string): Strikes<Spec, Target> {
    function find(kind: Spec['kind'], target: Target | undefined): Entry<Spec> | null {
      for (const entry of entries.values()) {
        const { spec } = entry;
        const isMeant =
          spec.kind === kind &&
          (spec.method === undefined || spec.method.toUpperCase() === method) &&
          (entry.path === null || entry.path.test(path)) &&
          (rules.isAbout?.(spec, target ?? ({} as Target)) ?? true);
        if (isMeant && draw(entry)) return entry;
      }
      return null;
    }
    return {
      strikes(kind, target) {
        const entry = find(kind, target);
        if (entry === null) return null;
        if (entry.struck === entry.spec.times) entries.delete(entry.id); // it is spent
        return shown(entry);
      },
      // A spent fault that holds someone stays until it is taken away: else nobody could let them go.
      async held(kind, target) {
        const entry = find(kind, target);
        if (entry !== null) await new Promise<void>((resolve) => entry.wake.push(resolve));
      },
    };
  }

  return {
    rules,
    meet,
    add(spec) {
      checkSpec(rules, spec);
      ids += 1;
      const path = spec.path === undefined ? null : new RegExp(spec.path);
      const entry = { id: ids, spec: { ...spec }, path, wake: [], chances: 0, struck: 0 };
      entries.set(ids, entry);
      return shown(entry);
    },
    remove,
    clear() {
      for (const id of entries.keys()) remove(id);
    },
    list: () => [...entries.values()].map(shown),
  };
}

function shown<Spec extends FaultSpec>({ id, spec, struck }: Entry<Spec>): Fault<Spec> {
  return { ...spec, id, struck };
}

/** Numbers from 0 to 1 that a seed repeats (mulberry32), for faults by chance. */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
