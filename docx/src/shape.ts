import { stepsOf } from './paths.ts';

/**
 * What the data can look like, read from a sample or a JSON Schema. `undefined` in a place means that anything may
 * be there.
 */
export interface Shape {
  readonly fields: Map<string, Shape | undefined> | undefined;
  /** Fields that are not named may be there too. */
  readonly open: boolean;
  readonly items: Shape | undefined;
}

const DEPTH = 64;
const SAMPLED_ITEMS = 200;

export function shapeOfSample(sample: unknown, depth = 0): Shape {
  if (depth > DEPTH || typeof sample !== 'object' || sample === null) {
    // Null says that the field is there, not what is in it.
    return { fields: undefined, open: sample === null || depth > DEPTH, items: undefined };
  }
  if (Array.isArray(sample)) {
    const items = sample.slice(0, SAMPLED_ITEMS).map((item) => shapeOfSample(item, depth + 1));
    // An empty list says nothing about its items.
    return {
      fields: undefined,
      open: false,
      items: items.reduce<Shape>(union, items[0] ?? ANYTHING),
    };
  }
  const fields = new Map(
    Object.entries(sample).map(([key, value]) => [key, shapeOfSample(value, depth + 1)] as const),
  );
  return { fields, open: false, items: undefined };
}

const ANYTHING: Shape = { fields: undefined, open: true, items: undefined };

function union(a: Shape, b: Shape): Shape {
  if (a === b) return a;
  const fields =
    a.fields || b.fields ? new Map([...(a.fields ?? []), ...(b.fields ?? [])]) : undefined;
  for (const [key, shape] of a.fields ?? []) {
    const other = b.fields?.get(key);
    if (shape && other) fields?.set(key, union(shape, other));
  }
  const items = a.items && b.items ? union(a.items, b.items) : (a.items ?? b.items);
  return { fields, open: a.open || b.open, items };
}

type Json = Readonly<Record<string, unknown>>;

function object(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : undefined;
}

export function shapeOfSchema(schema: unknown): Shape {
  return readSchema(schema, object(schema) ?? {}, 0);
}

/** References are followed within the schema, to a depth: a schema may refer to itself. */
function readSchema(schema: unknown, root: Json, depth: number): Shape {
  const own = object(schema);
  if (own === undefined || depth > 12) return ANYTHING;
  const reference = own['$ref'];
  if (typeof reference === 'string') return readSchema(resolve(root, reference), root, depth + 1);
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
    Array.isArray(own[key]) ? (own[key] as unknown[]) : [],
  );
  const properties = object(own['properties']);
  const items = own['items'];
  const fields =
    properties &&
    new Map(
      Object.entries(properties).map(
        ([key, value]) => [key, readSchema(value, root, depth + 1)] as const,
      ),
    );
  const scalar = typeof own['type'] === 'string' && !['object', 'array'].includes(own['type']);
  const shape: Shape = {
    fields,
    open:
      !scalar &&
      (own['additionalProperties'] === true ||
        (!properties && items === undefined && parts.length === 0)),
    items: items === undefined ? undefined : readSchema(items, root, depth + 1),
  };
  return parts.reduce<Shape>((all, part) => union(all, readSchema(part, root, depth + 1)), shape);
}

function resolve(root: Json, reference: string): unknown {
  let at: unknown = root;
  for (const key of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    const inside = object(at);
    at = inside && Object.hasOwn(inside, name) ? inside[name] : undefined;
  }
  return at;
}

/** The first key of a path (`Order.Lines[].Name`) that the shape does not know, and those it does. */
export function unknownAt(
  shape: Shape,
  path: string,
): { key: string; known: string[] } | undefined {
  let at: Shape | undefined = shape;
  for (const { key, lists } of stepsOf(path)) {
    if (key !== '') {
      at = enter(at, key);
      if (at === UNKNOWN) return undefined;
      if ('known' in at) return { key, known: at.known as string[] };
    }
    for (let n = 0; n < lists; n++) at = itemsOf(at);
    if (at === undefined) return undefined;
  }
  return undefined;
}

/** Whether the shape names all of a path: where anything may be, it names nothing. */
export function names(shape: Shape, path: string): boolean {
  let at: Shape | undefined = shape;
  for (const { key, lists } of stepsOf(path)) {
    if (key !== '') at = at?.fields?.get(key);
    for (let n = 0; n < lists; n++) at = at && itemsOf(at);
  }
  return at !== undefined;
}

const UNKNOWN: Shape = { fields: undefined, open: true, items: undefined };

function enter(shape: Shape, key: string): Shape & { known?: string[] } {
  if (shape.items && /^\d+$/.test(key)) return shape.items;
  if (shape.items && key === 'length') return UNKNOWN;
  const plain = key.replace(/__formatted$/, '');
  for (const name of [key, plain]) {
    if (shape.fields?.has(name)) return shape.fields.get(name) ?? UNKNOWN;
  }
  if (shape.open) return UNKNOWN;
  return { ...UNKNOWN, known: [...(shape.fields?.keys() ?? [])] };
}

/** As a loop sees it: a list's items, the records of a Salesforce result, or the one object itself. */
function itemsOf(shape: Shape): Shape {
  return shape.items ?? shape.fields?.get('records')?.items ?? shape;
}

/** The closest known name, when it is close enough to be a slip. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.min(word.length, Math.max(2, Math.floor(word.length / 3)) + 1);
  for (const name of known) {
    const distance = name.toLowerCase() === word.toLowerCase() ? 0 : editDistance(word, name);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

export function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 10 || a.length > 100 || b.length > 100) return 100;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 100;
}
