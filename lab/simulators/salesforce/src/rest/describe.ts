import type { Schema } from '../schema/schema.ts';
import { type Field, type SObject, isFilterable } from '../schema/sobject.ts';
import type { Leaf, Reply } from './request.ts';

/** `GET …/sobjects`. */
export async function describeGlobal({ org, request }: Leaf): Promise<Reply> {
  const sobjects = org.schema.objects.map((object) => summary(request.version, object));
  return { status: 200, body: { encoding: 'UTF-8', maxBatchSize: 200, sobjects } };
}

/** `GET …/sobjects/X`. */
export async function objectInfo({ request }: Leaf, object: SObject): Promise<Reply> {
  return {
    status: 200,
    body: { objectDescribe: summary(request.version, object), recentItems: [] },
  };
}

/** `GET …/sobjects/X/describe`. */
export async function describeObject(
  { org, caller, request }: Leaf,
  object: SObject,
): Promise<Reply> {
  const isReadOnly = caller.strikes.strikes('read-only', { object: object.name }) !== null;
  return {
    status: 200,
    body: {
      ...summary(request.version, object),
      ...(isReadOnly && { createable: false, updateable: false, deletable: false }),
      fields: [...object.fields.values()].map((field) => describeField(org.schema, field, object)),
      childRelationships: org.schema.children(object).map(({ name, child, field }) => ({
        cascadeDelete: field.onParentDeleted === 'Cascade',
        childSObject: child.name,
        field: field.name,
        relationshipName: name,
        restrictedDelete: field.onParentDeleted === 'Restrict',
      })),
      recordTypeInfos: [],
    },
  };
}

function summary(version: string, object: SObject): Record<string, unknown> {
  const base = `/services/data/${version}/sobjects/${object.name}`;
  return {
    name: object.name,
    label: object.label,
    labelPlural: object.labelPlural,
    keyPrefix: object.keyPrefix,
    custom: object.custom,
    customSetting: false,
    createable: object.createable,
    updateable: object.updateable,
    deletable: object.deletable,
    queryable: !object.isEvent,
    retrieveable: !object.isEvent,
    undeletable: false,
    urls: { sobject: base, describe: `${base}/describe`, rowTemplate: `${base}/{ID}` },
  };
}

function describeField(schema: Schema, field: Field, object: SObject): Record<string, unknown> {
  const isBoolean = field.type === 'boolean';
  const everything = schema.objects.filter(({ isEvent }) => !isEvent).map(({ name }) => name);
  return {
    name: field.name,
    label: field.label,
    type: field.type === 'longtext' ? 'textarea' : field.type,
    custom: field.custom,
    length: field.length,
    precision: field.precision,
    scale: field.scale,
    digits: field.type === 'int' ? 9 : 0,
    nillable: !field.required && !isBoolean && field.name !== 'Id',
    createable: field.createable,
    updateable: field.updateable,
    unique: field.unique,
    caseSensitive: field.caseSensitive,
    externalId: field.externalId,
    idLookup: field.externalId || field.name === 'Id',
    autoNumber: field.autoNumber !== null,
    nameField: field.name === object.nameField,
    filterable: isFilterable(field),
    sortable: isFilterable(field),
    groupable: isFilterable(field) && field.type !== 'datetime' && field.type !== 'double',
    aggregatable: isFilterable(field) && !isBoolean,
    defaultValue: field.initial,
    defaultedOnCreate:
      field.initial !== null || field.autoNumber !== null || field.name === 'OwnerId',
    restrictedPicklist: field.restricted,
    picklistValues: field.values.map((value) => ({
      value,
      label: value,
      active: true,
      defaultValue: value === field.initial,
    })),
    referenceTo: field.referenceTo[0] === '*' ? everything : field.referenceTo,
    relationshipName: field.relationshipName,
    calculated: false,
  };
}
