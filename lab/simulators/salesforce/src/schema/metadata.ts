import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { invalidOption } from '@millrace/simulator-kit';
import { type Field, type FieldType, field } from './sobject.ts';
import { type Element, child, parseXml, textOf } from './xml.ts';

/** The content of one folder below `objects`. */
export interface ObjectMetadata {
  readonly name: string;
  /** Null: the folder only adds fields to an object that is there. */
  readonly label: { readonly one: string; readonly many: string } | null;
  /** `null`: the name is a text that people type. */
  readonly autoNumber: string | null;
  readonly isEvent: boolean;
  readonly fields: readonly Field[];
}

/** Reads `X__c/X__c.object-meta.xml` and `X__c/fields/*.field-meta.xml` as sfdx projects keep them. */
export function readObjects(folder: string): ObjectMetadata[] {
  return folders(folder).map((name) => {
    const file = files(join(folder, name)).find((each) => each.endsWith('.object-meta.xml'));
    const object = file === undefined ? null : read(join(folder, name, file));
    const nameField = object === null ? undefined : child(object, 'nameField');
    return {
      name,
      label: object === null ? null : labels(object, name),
      autoNumber: nameField === undefined ? null : autoNumberOf(nameField),
      isEvent: name.endsWith('__e'),
      fields: files(join(folder, name, 'fields'))
        .filter((each) => each.endsWith('.field-meta.xml'))
        .map((each) => readField(join(folder, name, 'fields', each))),
    };
  });
}

function labels(object: Element, name: string): { one: string; many: string } {
  const one = textOf(object, 'label') ?? name;
  return { one, many: textOf(object, 'pluralLabel') ?? `${one}s` };
}

function autoNumberOf(nameField: Element): string | null {
  if (textOf(nameField, 'type') !== 'AutoNumber') return null;
  return textOf(nameField, 'displayFormat') ?? '{0}';
}

function folders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((each) => each.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  } catch {
    throw invalidOption(`objects: ${folder} cannot be read. Give a folder of sfdx objects.`);
  }
}

function files(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return []; // an object without fields of its own
  }
}

function read(path: string): Element {
  try {
    return parseXml(readFileSync(path, 'utf8'));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : '';
    throw invalidOption(`objects: ${path} is no metadata file. ${reason}`);
  }
}

const TYPES: Readonly<Record<string, FieldType>> = {
  Text: 'string',
  TextArea: 'textarea',
  LongTextArea: 'longtext',
  Html: 'longtext',
  Number: 'double',
  Currency: 'double',
  Percent: 'double',
  Checkbox: 'boolean',
  Date: 'date',
  DateTime: 'datetime',
  Picklist: 'picklist',
  Lookup: 'reference',
  MasterDetail: 'reference',
  Email: 'email',
  Phone: 'phone',
  Url: 'url',
  AutoNumber: 'string',
};

function readField(path: string): Field {
  const xml = read(path);
  const name = textOf(xml, 'fullName');
  const kind = textOf(xml, 'type') ?? '';
  const type = TYPES[kind];
  if (name === undefined) throw invalidOption(`objects: ${path} names no field (fullName).`);
  if (type === undefined) {
    throw invalidOption(`objects: ${path} has the type ${kind}, which is not simulated.`);
  }
  const isTrue = (flag: string): boolean => textOf(xml, flag) === 'true';
  const numberOf = (tag: string): number => Number(textOf(xml, tag) ?? 0);
  const length = numberOf('length');
  const reference = kind === 'Lookup' || kind === 'MasterDetail';
  return field(name, type, {
    label: textOf(xml, 'label') ?? name,
    ...(length > 0 && { length }),
    ...(type === 'double' && { precision: numberOf('precision'), scale: numberOf('scale') }),
    required: isTrue('required') || kind === 'MasterDetail',
    unique: isTrue('unique'),
    caseSensitive: isTrue('caseSensitive'),
    externalId: isTrue('externalId'),
    ...picklist(xml),
    ...(kind !== 'Picklist' && { initial: initialOf(type, textOf(xml, 'defaultValue')) }),
    ...(reference && relationship(xml, name)),
    ...(kind === 'MasterDetail' && { onParentDeleted: 'Cascade', updateable: false }),
    ...(kind === 'AutoNumber' && {
      autoNumber: textOf(xml, 'displayFormat') ?? '{0}',
      createable: false,
      updateable: false,
    }),
  });
}

function relationship(xml: Element, name: string): Partial<Field> {
  const children = textOf(xml, 'relationshipName');
  const constraint = textOf(xml, 'deleteConstraint');
  return {
    referenceTo: [textOf(xml, 'referenceTo') ?? ''],
    relationshipName: name.replace(/__c$/, '__r'),
    childRelationshipName: children === undefined ? null : `${children}__r`,
    onParentDeleted: constraint === 'Restrict' || constraint === 'Cascade' ? constraint : 'SetNull',
  };
}

function picklist(xml: Element): Partial<Field> {
  const set = child(xml, 'valueSet');
  const definition = set === undefined ? undefined : child(set, 'valueSetDefinition');
  if (set === undefined || definition === undefined) return {};
  const values = definition.children.filter(({ name }) => name === 'value');
  const initial = values.find((each) => textOf(each, 'default') === 'true');
  return {
    values: values.map((each) => textOf(each, 'fullName') ?? ''),
    restricted: textOf(set, 'restricted') === 'true',
    initial: initial === undefined ? null : (textOf(initial, 'fullName') ?? null),
  };
}

/** Defaults of texts are formulas; a quoted text is the only one read. */
function initialOf(type: FieldType, text: string | undefined): string | number | boolean | null {
  if (type === 'boolean') return text === 'true';
  if (text === undefined) return null;
  if (type === 'double') return Number(text);
  return /^["'](.*)["']$/s.exec(text)?.[1] ?? null;
}
