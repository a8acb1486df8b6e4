import { type Attributes, type Bounds, type Family, createFamily } from './bounds.ts';
import type { GaugeName, Given } from './metrics.ts';

/** Values that are set when they change, and values that are asked for at each reading. */
export interface Gauges {
  readonly set: SetGauge;
  /** One that throws has nothing to report, and what it reported before is forgotten. */
  observe(observer: Observer): () => void;
  read(): Promise<ReadonlyMap<GaugeName, readonly GaugeSeries[]>>;
}

export type SetGauge = <Name extends GaugeName>(
  name: Name,
  value: number,
  ...attributes: Given<Name>
) => void;

export type Observer = (set: SetGauge) => void | Promise<void>;

export interface GaugeSeries {
  readonly attributes: Attributes;
  value: number;
}

type Families = Map<GaugeName, Family<GaugeSeries>>;

export function createGauges(bounds: Bounds): Gauges {
  const kept: Families = new Map();
  const observers = new Set<Observer>();

  function setIn(families: Families): SetGauge {
    return (name, value, ...[attributes]) => {
      if (!Number.isFinite(value)) return;
      let family = families.get(name);
      if (family === undefined) {
        family = createFamily(name, bounds, (each) => ({ attributes: each, value: 0 }));
        families.set(name, family);
      }
      family.find(attributes ?? {}).value = value;
    };
  }

  return {
    set: setIn(kept),
    observe(observer) {
      observers.add(observer);
      return () => observers.delete(observer);
    },
    async read() {
      const observed: Families = new Map();
      const set = setIn(observed);
      await Promise.all(
        [...observers].map(async (observer) => {
          try {
            await observer(set);
          } catch {
            // See above.
          }
        }),
      );
      return new Map([...kept, ...observed].map(([name, family]) => [name, [...family.all()]]));
    },
  };
}
