import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { invalidOption } from '@millrace/simulator-kit';
import type { Value } from '../data/database.ts';
import type { Settings } from '../options.ts';
import { APEX_RUN } from '../package.ts';

/**
 * A field as the package's own interpreter (`salesforce-package/scripts/apex-run/host.mjs`) knows it. It is imported from
 * there, so that tests run the package's Apex and not a copy of it (docs/decisions/0017-apex-in-the-simulator.md).
 */
export interface HostField {
  /** As Apex spells it, without the package's namespace. */
  readonly name: string;
  /** As the org spells it. */
  readonly column: string;
  /** As `Schema.DisplayType` says it. */
  readonly type: string;
  readonly scale: number;
  readonly length: number;
  readonly required: boolean;
  readonly unique: boolean;
  readonly caseSensitive: boolean;
  readonly targets: readonly string[];
  readonly relationship: string;
  readonly values: readonly string[];
  readonly initial: Value;
  readonly createable: boolean;
  readonly updateable: boolean;
}

export interface HostObject {
  readonly name: string;
  readonly prefix: string;
  readonly fields: readonly HostField[];
}

type PlainRow = Readonly<Record<string, Value>>;

/** A transaction, as Apex reads and writes it. */
export interface HostRecords {
  readonly userId: string;
  now(): number;
  rows(object: string): Iterable<PlainRow>;
  byId(object: string, id: string): PlainRow | undefined;
  lock(id: string): void;
  insert(object: string, values: PlainRow): string;
  update(object: string, id: string, values: PlainRow): void;
  remove(object: string, id: string): void;
  mark(): number;
  rollbackTo(mark: number): void;
  hasPermission(name: string): boolean;
}

export type RestAnswer =
  | { readonly status: number; readonly body: string }
  | { readonly uncaught: string }
  | { readonly unmapped: true }
  | { readonly allowed: readonly string[] };

export interface Apex {
  rest(records: HostRecords, request: ApexCall): RestAnswer;
  /** Runs the triggers before a record is saved. Throws an error with a `code` where they refuse. */
  fire(records: HostRecords, change: ApexChange): PlainRow;
}

export interface ApexCall {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

export interface ApexChange {
  readonly object: string;
  readonly old: PlainRow | null;
  readonly next: PlainRow;
  /** A static Boolean that is set meanwhile, `Class.variable`. */
  readonly trusted: string | undefined;
}

interface ApexRun {
  openApex(source: string, objects: readonly HostObject[]): Apex;
}

/** Finds the classes beside the objects, and the interpreter that runs them. Null: the org has no Apex. */
export async function loadApex({
  apex,
  objects,
}: Settings): Promise<((objects: readonly HostObject[]) => Apex) | null> {
  if (!apex) return null;
  const run = (await import(APEX_RUN.href)) as ApexRun;
  return (known) => {
    const source = objects.map(dirname).find((folder) => existsSync(join(folder, 'classes')));
    if (source !== undefined) return run.openApex(source, known);
    throw invalidOption('apex: no folder of objects has a folder of classes beside it.');
  };
}
