/** What completion offers at a place: the fields of a table, or names of tables. Nothing here knows the editor. */
export type Wanted =
  /** After `s.`: fields of the table that `s` is. */
  | { readonly what: 'fields'; readonly table: string; readonly from: number }
  /** After FROM and JOIN. */
  | { readonly what: 'tables'; readonly from: number }
  /** Elsewhere: fields of all tables that the query names. */
  | { readonly what: 'any'; readonly tables: readonly string[]; readonly from: number };

const NAME = String.raw`\[(?:[^\]]|\]\])*\]|"[^"]*"|[\p{L}_#][\p{L}\p{N}_$#@]*`;
/** A name that is being typed: perhaps a bracket without its partner. */
const BEGUN = String.raw`\[[^\]\n]*|[\p{L}_#][\p{L}\p{N}_$#@]*|`;
const SOURCE = new RegExp(
  String.raw`\b(?:from|join|apply)\s+(?:ent\s*\.\s*)?(${NAME})(?:\s*,\s*|\s+(?:as\s+)?(${NAME}))?`,
  'giu',
);
const AFTER_DOT = new RegExp(String.raw`(${NAME})\s*\.\s*(${BEGUN})$`, 'u');
const AFTER_FROM = new RegExp(
  String.raw`\b(?:from|join|apply)\s+(?:ent\s*\.\s*)?(${BEGUN})$`,
  'iu',
);
const WORD = new RegExp(`(${BEGUN})$`, 'u');

/** Words that follow a table and are no alias of it. */
const NO_ALIAS = new Set(
  'where on inner left right full cross outer join group order having union intersect except with as option for apply'.split(
    ' ',
  ),
);

/** The tables that a query names, by what they are called in it, in lower case: alias and name. */
export function namedTables(sql: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, written = '', alias] of withoutTexts(sql).matchAll(SOURCE)) {
    const table = bare(written);
    found.set(table.toLowerCase(), table);
    if (alias !== undefined && !NO_ALIAS.has(alias.toLowerCase()))
      found.set(bare(alias).toLowerCase(), table);
  }
  return found;
}

export function wantedAt(sql: string, at: number): Wanted {
  const before = withoutTexts(sql.slice(0, at));
  const dotted = AFTER_DOT.exec(before);
  if (dotted !== null) {
    const [, owner = '', typed = ''] = dotted;
    const from = at - typed.length;
    // `Ent.` is the business unit above, and no table.
    if (owner.toLowerCase() === 'ent') return { what: 'tables', from };
    const table = namedTables(sql).get(bare(owner).toLowerCase());
    return { what: 'fields', table: table ?? bare(owner), from };
  }
  const source = AFTER_FROM.exec(before);
  if (source !== null) return { what: 'tables', from: at - (source[1] ?? '').length };
  const from = at - (WORD.exec(before)?.[1] ?? '').length;
  return { what: 'any', tables: [...new Set(namedTables(sql).values())], from };
}

/** As SQL needs it: a name that is no plain word has brackets. */
export function bracketed(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `[${name.replaceAll(']', ']]')}]`;
}

function bare(written: string): string {
  if (written.startsWith('[')) return written.slice(1, -1).replaceAll(']]', ']');
  return written.startsWith('"') ? written.slice(1, -1) : written;
}

/** Blanks in the place of texts and comments, so that what they say names no table; one that is open takes the rest. */
function withoutTexts(sql: string): string {
  return sql.replaceAll(/'(?:[^']|'')*(?:'|$)|--[^\n]*|\/\*[^]*?(?:\*\/|$)/g, (text) =>
    text.replaceAll(/[^\n]/g, ' '),
  );
}
