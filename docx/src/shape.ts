import { stepsOf } from './paths.ts';

/**
 * The shapes that the data can have, read from a sample or a JSON Schema. `undefined` in a place means that anything may
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
    return { fields: undefined, open: false, items: items.length === 0 ? ANYTHING : union(items) };
  }
  const fields = new Map(
    Object.entries(sample).map(([key, value]) => [key, shapeOfSample(value, depth + 1)] as const),
  );
  return { fields, open: false, items: undefined };
}

const ANYTHING: Shape = { fields: undefined, open: true, items: undefined };

/** Each field is looked at once: one after the other, 200 items of 1,000 keys each would be copied 200 times. */
function union(shapes: readonly Shape[]): Shape {
  const [only] = shapes;
  if (only !== undefined && shapes.length === 1) return only;
  const lists = shapes.flatMap(({ items }) => items ?? []);
  const byKey = new Map<string, Shape[] | undefined>();
  for (const { fields } of shapes)
    for (const [key, shape] of fields ?? []) {
      const before = byKey.get(key);
      if (shape === undefined || before === undefined) byKey.set(key, shape && [shape]);
      else before.push(shape);
    }
  return {
    fields: shapes.some(({ fields }) => fields)
      ? new Map([...byKey].map(([key, all]) => [key, all && union(all)]))
      : undefined,
    open: shapes.some(({ open }) => open),
    items: lists.length === 0 ? undefined : union(lists),
  };
}

type Json = Readonly<Record<string, unknown>>;

function object(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : undefined;
}

export function shapeOfSchema(schema: unknown): Shape {
  return readSchema(schema, { root: object(schema) ?? {}, left: MOST_READ }, 0);
}

/** Places of a schema that are read. Thirty fields that each refer to the whole schema are 700 million within the depth. */
const MOST_READ = 100_000;

/** `left`: how many places may still be read. */
interface SchemaReading {
  readonly root: Json;
  left: number;
}

/** References are followed within the schema, to a depth: a schema may refer to itself. */
function readSchema(schema: unknown, reading: SchemaReading, depth: number): Shape {
  const own = object(schema);
  reading.left -= 1;
  if (own === undefined || depth > 12 || reading.left < 0) return ANYTHING;
  const reference = own['$ref'];
  if (typeof reference === 'string')
    return readSchema(resolve(reading.root, reference), reading, depth + 1);
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
    Array.isArray(own[key]) ? (own[key] as unknown[]) : [],
  );
  const properties = object(own['properties']);
  const items = own['items'];
  const fields =
    properties &&
    new Map(
      Object.entries(properties).map(
        ([key, value]) => [key, readSchema(value, reading, depth + 1)] as const,
      ),
    );
  const scalar = typeof own['type'] === 'string' && !['object', 'array'].includes(own['type']);
  const shape: Shape = {
    fields,
    open:
      !scalar &&
      (own['additionalProperties'] === true ||
        (!properties && items === undefined && parts.length === 0)),
    items: items === undefined ? undefined : readSchema(items, reading, depth + 1),
  };
  return union([shape, ...parts.map((part) => readSchema(part, reading, depth + 1))]);
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
): { key: string; known: Iterable<string> } | undefined {
  let at: Shape & { known?: Iterable<string> } = shape;
  for (const { key, lists } of stepsOf(path)) {
    if (key !== '') {
      at = enter(at, key);
      if (at === UNKNOWN) return undefined;
      if (at.known !== undefined) return { key, known: at.known };
    }
    for (let n = 0; n < lists; n++) at = itemsOf(at);
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

const NO_FIELDS: ReadonlyMap<string, unknown> = new Map();
const UNKNOWN: Shape = { fields: undefined, open: true, items: undefined };

function enter(shape: Shape, key: string): Shape & { known?: Iterable<string> } {
  if (shape.items && /^\d+$/.test(key)) return shape.items;
  if (shape.items && key === 'length') return UNKNOWN;
  const plain = key.replace(/__formatted$/, '');
  for (const name of [key, plain]) {
    if (shape.fields?.has(name)) return shape.fields.get(name) ?? UNKNOWN;
  }
  if (shape.open) return UNKNOWN;
  const { fields } = shape;
  // No copy: the data may have 150,000 keys, and each missing field asks.
  return { ...UNKNOWN, known: { [Symbol.iterator]: () => (fields ?? NO_FIELDS).keys() } };
}

/** As a loop sees it: a list's items, the records of a Salesforce result, or the one object itself. */
function itemsOf(shape: Shape): Shape {
  return shape.items ?? shape.fields?.get('records')?.items ?? shape;
}

/**
 * How much is compared for one hint: pairs of letters. 20,000 names of ten letters, or a few hundred long ones; the names
 * after that are not looked at, since whoever sends data with 150,000 keys makes everybody wait for the hint.
 */
const MOST_COMPARED = 2_000_000;

/** The closest known name, when it is close enough to be a slip. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.min(word.length, Math.max(2, Math.floor(word.length / 3)) + 1);
  let compared = 0;
  if (word.length > LONGEST) return undefined;
  for (const name of known) {
    compared += word.length * Math.min(name.length, LONGEST) + 1;
    if (compared > MOST_COMPARED) break;
    if (name.length > LONGEST) continue;
    const distance = name.toLowerCase() === word.toLowerCase() ? 0 : editDistance(word, name);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/** Longer names are not compared. */
const LONGEST = 100;

export function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 10 || a.length > LONGEST || b.length > LONGEST) return 100;
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
