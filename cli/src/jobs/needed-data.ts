import type { Client, Kind } from '@millrace/api';
import { UsageError } from '../line/usage-error.ts';

/** What a kind wants, for someone who gave it nothing; null where its schema does not tell. */
export async function neededData(client: Client, name: string): Promise<UsageError | null> {
  const kind = (await client.listKinds()).kinds.find((each) => each.name === name);
  const needed = fieldsOf(kind?.input ?? null).filter(({ required }) => required);
  if (needed.length === 0) return null;
  const list = new Intl.ListFormat('en').format(needed.map(({ words }) => words));
  const example = Object.fromEntries(needed.map(({ field, example: value }) => [field, value]));
  return new UsageError(
    `The kind "${name}" needs data: ${list}. For example:\n  millrace enqueue ${name} '${JSON.stringify(example)}'`,
  );
}

interface Field {
  readonly field: string;
  readonly required: boolean;
  /** `name (string)`. */
  readonly words: string;
  readonly example: unknown;
}

/** Of an object, as JSON Schema describes it; none of anything else. */
function fieldsOf(input: Kind['input']): Field[] {
  const required = Array.isArray(input?.['required']) ? input['required'] : [];
  return Object.entries(objectOf(input?.['properties'])).map(([field, schema]) => {
    const { type, enum: options } = objectOf(schema);
    const [first] = Array.isArray(options) ? options : [];
    const words = Array.isArray(options)
      ? options.join(' or ')
      : typeof type === 'string'
        ? type
        : '';
    return {
      field,
      required: required.includes(field),
      words: words === '' ? field : `${field} (${words})`,
      example: first ?? (typeof type === 'string' ? EXAMPLES[type] : undefined) ?? '…',
    };
  });
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
};

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
}
