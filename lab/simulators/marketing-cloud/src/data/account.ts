import { randomUUID } from 'node:crypto';
import type { Clock } from '@millrace/simulator-kit';
import { type Field, type FieldSpec, settleField } from './fields.ts';

/** Values are kept as text: `5`, `12.50`, `True`, `2026-05-20 04:00:00.000`. */
export type Row = Readonly<Record<string, string | null>>;

export interface DataExtension {
  readonly objectId: string;
  readonly customerKey: string;
  readonly name: string;
  readonly description: string;
  readonly categoryId: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly fields: readonly Field[];
  /** Null: kept for ever. */
  readonly retainUntil: number | null;
  readonly retention: Readonly<Record<string, string>>;
  /** By the names of the fields. Replaced as a whole, so that who reads pages keeps theirs. */
  readonly rows: readonly Row[];
}

export const UPDATE_TYPES = ['Overwrite', 'Update', 'Append'] as const;
export type UpdateType = (typeof UPDATE_TYPES)[number];

export interface QueryDefinition {
  readonly objectId: string;
  /** The number of SOAP's NewID. */
  readonly id: number;
  readonly customerKey: string;
  readonly name: string;
  readonly description: string;
  readonly categoryId: string;
  readonly queryText: string;
  readonly targetKey: string;
  readonly updateType: UpdateType;
  readonly createdAt: number;
  readonly modifiedAt: number;
}

export type TaskStatus = 'Queued' | 'Processing' | 'Complete' | 'Error' | 'FatalError';

export interface Task {
  readonly id: string;
  readonly interactionId: string;
  readonly mid: string;
  readonly query: QueryDefinition;
  readonly queuedAt: number;
  status: TaskStatus;
  startedAt: number | null;
  completedAt: number | null;
  errorMessage: string;
  /** How many rows the query gave. */
  rowCount: number | null;
}

export interface Folder {
  readonly id: string;
  readonly name: string;
  readonly parentId: string;
}

/** A business unit: what one MID owns. */
export interface Unit {
  readonly mid: string;
  readonly name: string;
  /** Null: this is the enterprise itself. */
  readonly parent: string | null;
  readonly dataExtensions: Map<string, DataExtension>;
  /** The folders of data extensions, below the one that all have; by their id. */
  readonly folders: Map<string, Folder>;
  readonly queries: Map<string, QueryDefinition>;
  readonly tasks: Map<string, Task>;
}

export function createUnit({ mid, name, parent }: Pick<Unit, 'mid' | 'name' | 'parent'>): Unit {
  return {
    mid,
    name,
    parent,
    dataExtensions: new Map(),
    folders: new Map(),
    queries: new Map(),
    tasks: new Map(),
  };
}

export interface NewDataExtension {
  readonly name: string;
  /** A new one when left out. */
  readonly customerKey?: string;
  readonly fields: readonly FieldSpec[];
  readonly description?: string;
  readonly categoryId?: string;
  /** Where it is in Data Extensions, outermost first; folders that are not there are made. */
  readonly folder?: readonly string[];
  readonly rows?: readonly Row[];
  readonly retainUntil?: number | null;
  readonly retention?: Readonly<Record<string, string>>;
}

/** Where the folders of a business unit are: one for data extensions, one for queries. */
export const FOLDERS = {
  dataextension: { id: '1001', name: 'Data Extensions' },
  queryactivity: { id: '1002', name: 'Query' },
} as const;

export function makeDataExtension(clock: Clock, spec: NewDataExtension): DataExtension {
  const now = clock.now();
  return {
    objectId: randomUUID(),
    customerKey: spec.customerKey ?? randomUUID().toUpperCase(),
    name: spec.name,
    description: spec.description ?? '',
    categoryId: spec.categoryId ?? FOLDERS.dataextension.id,
    createdAt: now,
    modifiedAt: now,
    fields: spec.fields.map(settleField),
    retainUntil: spec.retainUntil ?? null,
    retention: spec.retention ?? {},
    rows: spec.rows ?? [],
  };
}

/** Puts a data extension where its folder says. */
export function addDataExtension(unit: Unit, clock: Clock, spec: NewDataExtension): DataExtension {
  const { folder } = spec;
  const categoryId = folder === undefined ? spec.categoryId : folderIn(unit, folder);
  const made = makeDataExtension(clock, {
    ...spec,
    ...(categoryId !== undefined && { categoryId }),
  });
  unit.dataExtensions.set(made.objectId, made);
  return made;
}

const FIRST_FOLDER = 2_000;

function folderIn({ folders }: Unit, path: readonly string[]): string {
  let parentId: string = FOLDERS.dataextension.id;
  for (const name of path) {
    const parent = parentId;
    const there = [...folders.values()].find(
      (each) => each.name === name && each.parentId === parent,
    );
    const id = there?.id ?? String(FIRST_FOLDER + folders.size);
    folders.set(id, { id, name, parentId });
    parentId = id;
  }
  return parentId;
}

/** Keys are the same whatever their case. What has outlived its retention is gone. */
export function dataExtensionByKey(unit: Unit, key: string, now: number): DataExtension | null {
  const wanted = key.toLowerCase();
  return (
    liveDataExtensions(unit, now).find((each) => each.customerKey.toLowerCase() === wanted) ?? null
  );
}

/** SQL names data extensions by their names. */
export function dataExtensionByName(unit: Unit, name: string, now: number): DataExtension | null {
  const wanted = name.toLowerCase();
  return liveDataExtensions(unit, now).find((each) => each.name.toLowerCase() === wanted) ?? null;
}

export function liveDataExtensions(unit: Unit, now: number): DataExtension[] {
  for (const { objectId, retainUntil } of unit.dataExtensions.values()) {
    if (retainUntil !== null && retainUntil <= now) unit.dataExtensions.delete(objectId);
  }
  return [...unit.dataExtensions.values()];
}

export function queryByKey(unit: Unit, key: string): QueryDefinition | null {
  const wanted = key.toLowerCase();
  return (
    [...unit.queries.values()].find((each) => each.customerKey.toLowerCase() === wanted) ?? null
  );
}
