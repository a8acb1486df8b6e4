/** Everything in an address is a text, as people write it there: the router would read `key=42` as a number. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const params = new URLSearchParams(text);
  const named = [...new Set(params.keys())].map((name) => {
    const [value = '', ...more] = params.getAll(name);
    return [name, more.length === 0 ? value : [value, ...more]] as const;
  });
  return Object.fromEntries(named);
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) params.append(name, String(each));
  }
  return params.size === 0 ? '' : `?${params.toString()}`;
}

/** An invalid part of an address: its name, and a sentence. */
export interface Unread {
  readonly name: string;
  readonly why: string;
}

interface Issue {
  readonly path?: readonly unknown[];
  readonly message: string;
  /** Names that the page does not know. */
  readonly keys?: readonly string[];
}

/** From the cause of the router's error: what the schema of the page says. */
export function unreadIn(cause: unknown): readonly Unread[] {
  const { issues = [] } = (cause ?? {}) as { readonly issues?: readonly Issue[] };
  return issues.flatMap(({ path = [], message, keys }) =>
    keys === undefined
      ? [{ name: String(path[0]), why: message }]
      : keys.map((name) => ({ name, why: 'Unknown parameter.' })),
  );
}
