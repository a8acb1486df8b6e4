import { type JobState, isFinished } from '@millrace/engine';
import { FIELDS, FIELD_NAMES, type Field } from './fields.ts';

export interface Names {
  readonly document: string;
  readonly lease: string;
  readonly leaseKey: string;
  readonly template: string;
  /** The version of the file that a template's documents are made from. */
  readonly templateVersion: string;
  /** The channel of the event that says that documents wait. */
  readonly wakeup: string;
  /** Under /services/apexrest/. */
  readonly apex: string;
  readonly field: Readonly<Record<Field, string>>;
}

export interface NameOptions {
  /** The namespace of the package, where it was installed as a managed one. */
  readonly namespace?: string | undefined;
  /** For an org that calls its object or fields otherwise. */
  readonly document?: string | undefined;
  readonly fields?: Readonly<Partial<Record<Field, string>>> | undefined;
}

export function namesOf({ namespace, document, fields = {} }: NameOptions = {}): Names {
  const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}__`;
  const field = Object.fromEntries(
    FIELD_NAMES.map((name) => [name, fields[name] ?? `${prefix}${FIELDS[name].name}`]),
  );
  return {
    document: document ?? `${prefix}Generated_Document__c`,
    lease: `${prefix}Docgen_Lease__c`,
    leaseKey: `${prefix}Key__c`,
    template: `${prefix}Docgen_Template__c`,
    templateVersion: `${prefix}ContentVersionId__c`,
    wakeup: `/event/${prefix}Docgen_Wakeup__e`,
    apex: `${namespace === undefined || namespace === '' ? '' : `${namespace}/`}millrace/v1`,
    field: field as Record<Field, string>,
  };
}

/** Fields that name a file made in the same graph, by a reference of ours. */
const REFERRING: readonly Field[] = ['outputFile', 'docxFile'];
const JSON_FIELDS: readonly Field[] = ['request', 'result'];

/**
 * As part of a graph. Salesforce puts a result in place of `@{…}` wherever it stands, in people's data too, and has no
 * escape for it. JSON has: its brace can be written as a number. Other texts get a space.
 */
export function recordInGraph(
  names: Names,
  values: Partial<Record<Field, unknown>>,
): Record<string, unknown> {
  const safe = Object.entries(values).map(([name, value]) => {
    const field = name as Field;
    if (typeof value !== 'string' || REFERRING.includes(field)) return [field, value];
    return [
      field,
      JSON_FIELDS.includes(field)
        ? value.replaceAll('@{', String.raw`@\u007b`)
        : unreferring(value),
    ];
  });
  return record(names, Object.fromEntries(safe) as typeof values);
}

export function unreferring(text: string): string {
  return text.replaceAll('@{', '@ {');
}

/** The values of Live__c. Work is found by it: an index over the records that wait or run, whatever else the org keeps. */
export const LIVE = 'LIVE';

/** Our words become field names; what is undefined is left out, null empties. Who writes a status says whether it is live. */
export function record(
  names: Names,
  values: Partial<Record<Field, unknown>>,
): Record<string, unknown> {
  const { status } = values;
  const all: typeof values =
    status === undefined
      ? values
      : { ...values, live: isFinished(status as JobState) ? null : LIVE };
  const written: Record<string, unknown> = {};
  for (const name of Object.keys(all) as Field[])
    if (all[name] !== undefined) written[names.field[name]] = all[name];
  return written;
}
