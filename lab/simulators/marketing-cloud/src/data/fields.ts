import { randomUUID } from 'node:crypto';

/** The types that the partner WSDL calls DataExtensionFieldType. */
export const FIELD_TYPES = [
  'Text',
  'Number',
  'Date',
  'Boolean',
  'EmailAddress',
  'Phone',
  'Decimal',
  'Locale',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface FieldSpec {
  readonly name: string;
  /** Text when left out. */
  readonly type?: FieldType;
  /** The characters of a Text; null: without a limit. The precision of a Decimal. */
  readonly maxLength?: number | null;
  /** The scale of a Decimal. */
  readonly scale?: number;
  readonly isPrimaryKey?: boolean;
  readonly isRequired?: boolean;
  readonly defaultValue?: string;
}

export interface Field extends Required<FieldSpec> {
  readonly objectId: string;
  readonly ordinal: number;
}

/** The length where none is given: "Data Types in Data Extensions", Salesforce Help. */
const LENGTHS: Readonly<Partial<Record<FieldType, number>>> = {
  EmailAddress: 254,
  Phone: 50,
  Decimal: 18,
  Locale: 5,
};

export function settleField(spec: FieldSpec, ordinal: number): Field {
  const type = spec.type ?? 'Text';
  return {
    name: spec.name,
    type,
    maxLength: spec.maxLength ?? LENGTHS[type] ?? null,
    scale: spec.scale ?? (type === 'Decimal' ? 2 : 0),
    isPrimaryKey: spec.isPrimaryKey ?? false,
    isRequired: spec.isRequired ?? spec.isPrimaryKey ?? false,
    defaultValue: spec.defaultValue ?? '',
    objectId: randomUUID(),
    ordinal,
  };
}

/**
 * Names are the same whatever their case, and without the spaces around them: query activities in use have `AS [Name ]`, and fill the
 * field `Name`.
 */
export function fieldNamed(fields: readonly Field[], name: string): Field | undefined {
  const wanted = name.trim().toLowerCase();
  return fields.find((field) => field.name.toLowerCase() === wanted);
}
