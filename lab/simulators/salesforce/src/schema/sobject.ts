export type FieldType =
  | 'id'
  | 'string'
  | 'textarea'
  | 'longtext'
  | 'picklist'
  | 'boolean'
  | 'double'
  | 'int'
  | 'date'
  | 'datetime'
  | 'reference'
  | 'email'
  | 'phone'
  | 'url'
  | 'base64';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly custom: boolean;
  /** Letters of a text; 0 where there are none. */
  readonly length: number;
  /** Digits in all, and behind the point, of a number. */
  readonly precision: number;
  readonly scale: number;
  readonly required: boolean;
  readonly unique: boolean;
  readonly caseSensitive: boolean;
  readonly externalId: boolean;
  readonly values: readonly string[];
  readonly restricted: boolean;
  readonly initial: string | number | boolean | null;
  readonly referenceTo: readonly string[];
  /** The name of the parent in a path, `Account` or `Template__r`. */
  readonly relationshipName: string | null;
  /** The name of the children from the parent. */
  readonly childRelationshipName: string | null;
  readonly onParentDeleted: 'SetNull' | 'Restrict' | 'Cascade';
  readonly createable: boolean;
  readonly updateable: boolean;
  readonly autoNumber: string | null;
}

export interface SObject {
  readonly name: string;
  readonly label: string;
  readonly labelPlural: string;
  readonly custom: boolean;
  readonly keyPrefix: string;
  /** An event is published, not kept. */
  readonly isEvent: boolean;
  readonly createable: boolean;
  readonly deletable: boolean;
  readonly updateable: boolean;
  /** By name in small letters: Salesforce does not care about case here. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly nameField: string | null;
}

type Extras = Partial<Omit<Field, 'name' | 'type'>>;

export function field(name: string, type: FieldType, extras: Extras = {}): Field {
  return {
    name,
    type,
    label: labelOf(name),
    custom: name.endsWith('__c'),
    length: LENGTHS[type] ?? 0,
    precision: type === 'double' ? 18 : 0,
    scale: 0,
    required: false,
    unique: false,
    caseSensitive: false,
    externalId: false,
    values: [],
    restricted: false,
    initial: type === 'boolean' ? false : null,
    referenceTo: [],
    relationshipName: null,
    childRelationshipName: null,
    onParentDeleted: 'SetNull',
    createable: true,
    updateable: true,
    autoNumber: null,
    ...extras,
  };
}

const LENGTHS: Partial<Record<FieldType, number>> = {
  id: 18,
  reference: 18,
  string: 255,
  textarea: 255,
  longtext: 32_000,
  picklist: 255,
  email: 80,
  phone: 40,
  url: 255,
};

function labelOf(name: string): string {
  return name
    .replace(/__c$/, '')
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2');
}

export function fieldMap(fields: readonly Field[]): ReadonlyMap<string, Field> {
  return new Map(fields.map((each) => [each.name.toLowerCase(), each]));
}

/** Long texts and blobs can be read, and nothing else. */
export function isFilterable({ type }: Field): boolean {
  return type !== 'longtext' && type !== 'base64';
}

export function isText({ type }: Field): boolean {
  return ['string', 'textarea', 'longtext', 'picklist', 'email', 'phone', 'url'].includes(type);
}
