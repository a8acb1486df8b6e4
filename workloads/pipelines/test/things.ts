import type { FileOf, RowsOf, Step, StepOutput, Who } from '@millrace/workload-kit';
import { z } from 'zod';

/** What a workload has begun for a step, as a test's workload keeps it: it outlives the process that began it. */
export interface Thing {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly who: Who;
  looks: number;
  canceled: number;
  retried: number;
}

/** How the work of a step goes, by `name` of its input. */
export interface Behaviour {
  /** So many looks find it running. */
  readonly looks?: number;
  readonly output?: StepOutput;
  /** Asked at the end: a failure, unless null. */
  readonly fails?: (thing: Thing) => { readonly code: string; readonly message: string } | null;
  /** Thrown when it is begun. */
  readonly refuses?: () => Error | null;
  readonly canRetry?: boolean;
}

export interface Things {
  readonly all: Thing[];
  readonly behaviours: Map<string, Behaviour>;
  of(name: string): Thing[];
  step(type: string): Step;
}

export type Contact = <T>(effect: () => Promise<T>) => Promise<T>;

/** One workload for all types of steps, whose every contact may be the last of its process. */
export function createThings(contact: Contact): Things {
  const all: Thing[] = [];
  const behaviours = new Map<string, Behaviour>();
  const behaviourOf = ({ input }: Pick<Thing, 'input'>): Behaviour =>
    behaviours.get(String(input['name'])) ?? {};
  const find = (id: string): Thing => {
    const thing = all.find((each) => each.id === id);
    if (thing === undefined) throw new Error(`nothing was begun as ${id}`);
    return thing;
  };

  return {
    all,
    behaviours,
    of: (name) => all.filter(({ input }) => input['name'] === name),
    step: (type) => ({
      input: z.looseObject({ name: z.string() }),
      literal: ['sql'],
      outputs: ['rows', 'total', 'failed'],
      start: ({ input, who, key }) =>
        contact(async () => {
          const refusal = behaviourOf({ input: input as Thing['input'] }).refuses?.() ?? null;
          if (refusal !== null) throw refusal;
          const there = all.find((each) => each.key === key);
          if (there !== undefined) return { id: there.id };
          const id = `${type}-${all.length + 1}`;
          all.push({
            id,
            key,
            type,
            input: input as Thing['input'],
            who,
            looks: 0,
            canceled: 0,
            retried: 0,
          });
          return { id };
        }),
      look: (id) =>
        contact(async () => {
          const thing = find(id);
          const { looks = 1, output = {}, fails = () => null } = behaviourOf(thing);
          thing.looks += 1;
          if (thing.canceled > 0)
            return { state: 'failed', error: { code: 'thing_canceled', message: 'Cancelled.' } };
          if (thing.looks <= looks)
            return { state: 'running', progress: { done: thing.looks, total: looks } };
          const error = fails(thing);
          return error === null ? { state: 'done', output } : { state: 'failed', error };
        }),
      cancel: (id) =>
        contact(async () => {
          find(id).canceled += 1;
        }),
      retry: (id, _, input) =>
        contact(async () => {
          const thing = find(id);
          const isSame = JSON.stringify(thing.input) === JSON.stringify(input);
          if (behaviourOf(thing).canRetry !== true || !isSame) return false;
          thing.retried += 1;
          thing.canceled = 0;
          return true;
        }),
      async *rows(id) {
        find(id);
        yield { of: id };
      },
      link: (id) => `/things/${id}`,
    }),
  };
}

export type { FileOf, RowsOf };
