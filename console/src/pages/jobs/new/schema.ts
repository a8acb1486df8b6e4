/** As much of JSON Schema as forms are made from. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

export type Control = 'text' | 'number' | 'flag' | 'choice' | 'date' | 'json';

/** Which control a field gets. What has no simple one is written as JSON. */
export function controlOf(schema: Schema): Control {
  const plain = withoutNull(schema);
  if (plain.enum !== undefined) return 'choice';
  switch (plain.type) {
    case 'string':
      return plain.format === 'date' ? 'date' : 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'flag';
    default:
      return 'json';
  }
}

/** `string | null` is a text that may be empty. */
export function withoutNull(schema: Schema): Schema {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null');
  return others?.length === 1 ? { ...schema, ...others[0] } : schema;
}

/** The initial values of a form: only defaults, so that empty fields are not sent. */
export function emptyOf(schema: Schema | null): Record<string, unknown> {
  const entries = Object.entries(schema?.properties ?? {}).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default]],
  );
  return Object.fromEntries(entries) as Record<string, unknown>;
}
