import { invalidOption } from '@millrace/simulator-kit';
import { ApiError } from '../errors.ts';
import { type ObjectMetadata, readObjects } from './metadata.ts';
import { STANDARD_OBJECTS, ownerField, systemFields } from './standard.ts';
import { type Field, type SObject, field, fieldMap } from './sobject.ts';

export interface ChildRelationship {
  readonly name: string | null;
  readonly child: SObject;
  readonly field: Field;
}

export interface Schema {
  readonly objects: readonly SObject[];
  find(name: string): SObject | undefined;
  /** Throws the error of a request that names no object. */
  require(name: string): SObject;
  byPrefix(prefix: string): SObject | undefined;
  /** Lookups that point at an object. */
  children(parent: SObject): readonly ChildRelationship[];
}

export function createSchema(folders: readonly string[], namespace: string | null): Schema {
  const objects = new Map(STANDARD_OBJECTS.map((each) => [each.name.toLowerCase(), each]));
  let customs = 0;
  for (const metadata of folders.flatMap(readObjects)) {
    const { name, label, fields, ...rest } = inNamespace(metadata, namespace);
    const known = objects.get(name.toLowerCase());
    if (known !== undefined) {
      objects.set(name.toLowerCase(), extended(known, fields));
    } else if (label === null) {
      throw invalidOption(`objects: ${name} has fields, but nothing says what object it is.`);
    } else {
      const prefix = `${rest.isEvent ? 'e' : 'a'}0${'0123456789ABCDEFGHIJ'[customs] ?? 'Z'}`;
      customs += 1;
      objects.set(name.toLowerCase(), customObject({ name, label, fields, ...rest }, prefix));
    }
  }
  return schemaOf([...objects.values()]);
}

function schemaOf(objects: readonly SObject[]): Schema {
  const byName = new Map(objects.map((each) => [each.name.toLowerCase(), each]));
  const prefixes = new Map(objects.map((each) => [each.keyPrefix, each]));
  const children = new Map<string, ChildRelationship[]>();
  for (const child of objects) {
    for (const each of child.fields.values()) {
      const parents =
        each.referenceTo[0] === '*' ? objects.map(({ name }) => name) : each.referenceTo;
      for (const parent of parents) {
        if (!byName.has(parent.toLowerCase())) {
          throw invalidOption(
            `objects: ${child.name}.${each.name} refers to ${parent}, which is not there.`,
          );
        }
        const list = children.get(parent.toLowerCase()) ?? [];
        children.set(parent.toLowerCase(), list);
        list.push({ name: each.childRelationshipName, child, field: each });
      }
    }
  }
  return {
    objects,
    find: (name) => byName.get(name.toLowerCase()),
    require(name) {
      const object = byName.get(name.toLowerCase());
      if (object !== undefined) return object;
      throw new ApiError('NOT_FOUND', 'The requested resource does not exist');
    },
    byPrefix: (prefix) => prefixes.get(prefix),
    children: (parent) => children.get(parent.name.toLowerCase()) ?? [],
  };
}

function extended(object: SObject, fields: readonly Field[]): SObject {
  return { ...object, fields: fieldMap([...object.fields.values(), ...fields]) };
}

function customObject(
  { name, label, autoNumber, isEvent, fields }: ObjectMetadata,
  keyPrefix: string,
): SObject {
  const nameField = field('Name', 'string', {
    length: 80,
    autoNumber,
    createable: autoNumber === null,
    updateable: autoNumber === null,
  });
  const own = isEvent ? [] : [nameField, ownerField()];
  return {
    name,
    label: label?.one ?? name,
    labelPlural: label?.many ?? name,
    custom: true,
    keyPrefix,
    isEvent,
    createable: true,
    updateable: !isEvent,
    deletable: !isEvent,
    fields: fieldMap([...systemFields(), ...own, ...fields]),
    nameField: isEvent ? null : 'Name',
  };
}

/** In the org of a customer, everything that a package brought has its prefix. */
function inNamespace(metadata: ObjectMetadata, namespace: string | null): ObjectMetadata {
  const named = (name: string): string => prefixed(name, namespace);
  return {
    ...metadata,
    name: named(metadata.name),
    fields: metadata.fields.map((each) => ({
      ...each,
      name: named(each.name),
      referenceTo: each.referenceTo.map(named),
      relationshipName: each.relationshipName === null ? null : named(each.relationshipName),
      childRelationshipName:
        each.childRelationshipName === null ? null : named(each.childRelationshipName),
    })),
  };
}

/** `Status__c` becomes `acme__Status__c`; standard names, and names that have a prefix, stay. */
export function prefixed(name: string, namespace: string | null): string {
  return namespace !== null && /^[A-Za-z0-9]+(_[A-Za-z0-9]+)*__[cer]$/.test(name)
    ? `${namespace}__${name}`
    : name;
}
