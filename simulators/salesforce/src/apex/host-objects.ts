import type { Schema } from '../schema/schema.ts';
import type { Field, FieldType } from '../schema/types.ts';
import type { HostField, HostObject } from './apex-run.ts';

const DISPLAY_TYPES: Partial<Record<FieldType, string>> = {
  longtext: 'TEXTAREA',
  int: 'INTEGER',
};

/** The objects of the org as the package's Apex knows them: a package writes its own names without its namespace. */
export function hostObjects({ objects }: Schema, namespace: string | null): HostObject[] {
  const short = (name: string): string => shortName(name, namespace);
  const fieldOf = (field: Field): HostField => ({
    name: short(field.name),
    column: field.name,
    type: DISPLAY_TYPES[field.type] ?? field.type.toUpperCase(),
    scale: field.scale,
    length: field.length,
    required: field.required,
    unique: field.unique,
    caseSensitive: field.caseSensitive,
    targets: field.referenceTo.map(short),
    relationship: field.relationshipName === null ? '' : short(field.relationshipName),
    values: field.values,
    initial: field.initial,
    createable: field.createable,
    updateable: field.updateable,
  });
  return objects.map(({ name, keyPrefix, fields }) => ({
    name: short(name),
    prefix: keyPrefix,
    fields: [...fields.values()].map(fieldOf),
  }));
}

export function shortName(name: string, namespace: string | null): string {
  return namespace !== null && name.startsWith(`${namespace}__`)
    ? name.slice(namespace.length + 2)
    : name;
}
