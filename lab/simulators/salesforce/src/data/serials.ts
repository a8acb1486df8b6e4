import { makeId } from '../ids.ts';
import type { Field, SObject } from '../schema/sobject.ts';

/** Numbers that only grow. A rollback leaves a gap, as in Salesforce. */
export interface Serials {
  id(prefix: string): string;
  name(object: SObject, field: Field): string;
  export(): Record<string, number>;
  import(counters: Readonly<Record<string, number>>): void;
}

export function createSerials(): Serials {
  const counters = new Map<string, number>();
  function next(name: string): number {
    const value = (counters.get(name) ?? 0) + 1;
    counters.set(name, value);
    return value;
  }
  return {
    id: (prefix) => makeId(prefix, next(prefix)),
    name(object, field) {
      const number = String(next(`${object.name}.${field.name}`));
      return (field.autoNumber ?? '').replace(/\{(0+)\}/, (_, zeros: string) =>
        number.padStart(zeros.length, '0'),
      );
    },
    export: () => Object.fromEntries(counters),
    import(given) {
      counters.clear();
      for (const [name, value] of Object.entries(given)) counters.set(name, value);
    },
  };
}
