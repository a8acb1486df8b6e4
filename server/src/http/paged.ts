import { Refusal } from './refusal.ts';

export interface Asked {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * A page of a list that is in memory anyway: in the order of its keys, from after the cursor on. The cursor is
 * the key of the last item given, so what comes and goes between two pages moves nothing else.
 */
export function paged<Item>(
  list: string,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { limit, cursor }: Asked,
): { items: Item[]; next: string | null } {
  const after = cursor === undefined ? null : keyIn(list, cursor);
  const rest = items
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => after === null || key > after)
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const next = last === undefined || page.length === rest.length ? null : `${list} ${last.key}`;
  return {
    items: page.map(({ item }) => item),
    next: next === null ? null : Buffer.from(next).toString('base64url'),
  };
}

/** Node decodes anything: only what it would write the same way was a cursor of ours. */
function keyIn(list: string, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString();
  const ours = text.startsWith(`${list} `) && Buffer.from(text).toString('base64url') === cursor;
  if (ours) return text.slice(list.length + 1);
  throw new Refusal(
    'invalid_cursor',
    `"${cursor}" is not a cursor of this list. Use \`next\` of the page before as it is.`,
  );
}
