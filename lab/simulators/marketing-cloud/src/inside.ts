import type { Cloud } from './cloud.ts';
import {
  type DataExtension,
  type NewDataExtension,
  type QueryDefinition,
  type Row,
  type Task,
  addDataExtension,
  dataExtensionByKey,
  liveDataExtensions,
} from './data/account.ts';

/** For tests: what a business unit has, uncounted and past the faults. */
export interface UnitInside {
  readonly mid: string;
  dataExtensions(): readonly DataExtension[];
  /** By customer key. */
  dataExtension(key: string): DataExtension | null;
  queries(): readonly QueryDefinition[];
  tasks(): readonly Task[];
  addDataExtension(spec: NewDataExtension): DataExtension;
  setRows(key: string, rows: readonly Row[]): void;
}

export function lookInside(cloud: Cloud, mid: string): UnitInside {
  const unit = cloud.units.get(mid);
  if (unit === undefined) throw new Error(`There is no business unit ${mid}.`);
  const find = (key: string): DataExtension | null =>
    dataExtensionByKey(unit, key, cloud.clock.now());
  return {
    mid,
    dataExtensions: () => liveDataExtensions(unit, cloud.clock.now()),
    dataExtension: find,
    queries: () => [...unit.queries.values()],
    tasks: () => [...unit.tasks.values()],
    addDataExtension: (spec) => addDataExtension(unit, cloud.clock, spec),
    setRows(key, rows) {
      const found = find(key);
      if (found === null) throw new Error(`There is no data extension ${key}.`);
      unit.dataExtensions.set(found.objectId, { ...found, rows });
    },
  };
}
