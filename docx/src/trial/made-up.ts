import type { FieldUse } from '../compile/ops/uses.ts';
import { stepsOf } from '../paths.ts';

/** Data with everything that a template asks for, twice where it is a list. */
export function madeUpData(fields: readonly FieldUse[]): unknown {
  const root = emptyPlace();
  for (const { path, kind } of fields) {
    let place = root;
    for (const { key, lists } of stepsOf(path)) {
      if (key !== '') place = within(place, key);
      for (let n = 0; n < lists; n++) place = place.items ??= emptyPlace();
    }
    place.kinds.add(kind);
  }
  return valueOf(root, true);
}

interface DataPlace {
  readonly fields: Map<string, DataPlace>;
  readonly kinds: Set<FieldUse['kind']>;
  items: DataPlace | null;
}

function emptyPlace(): DataPlace {
  return { fields: new Map(), kinds: new Set(), items: null };
}

function within({ fields }: DataPlace, key: string): DataPlace {
  const known = fields.get(key) ?? emptyPlace();
  fields.set(key, known);
  return known;
}

/** A number can be shown, added, formatted and read as a moment: whatever a tag does, it can do it with this. */
const ANYTHING = 12;

/** {{currency Amount Currency}}: what is called so is a code, and no number is one. */
const CURRENCY = /currency/i;

/** One grey pixel. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

function valueOf({ fields, kinds, items }: DataPlace, isRoot = false): unknown {
  if (items !== null || (kinds.has('list') && fields.size === 0)) {
    const item = items === null ? ANYTHING : valueOf(items);
    return [item, item];
  }
  if (fields.size > 0 || isRoot)
    return Object.fromEntries(
      [...fields].map(([key, place]) => [key, CURRENCY.test(key) ? 'EUR' : valueOf(place)]),
    );
  return kinds.has('image') ? PICTURE : ANYTHING;
}
