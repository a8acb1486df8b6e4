import { z } from 'zod';
import { PLAIN_PDF, pdfChoice } from '../new/pdf-choice.ts';
import { type Filling, type Mapping, type TemplateField, autoMatch } from '../new/match.ts';

export const savedOutput = z.object({
  name: z.string(),
  locale: z.string(),
  format: z.enum(['PDF', 'DOCX']),
  gaps: z.enum(['hold', 'make']),
  // What was saved before there were any has none.
  pdf: pdfChoice.default(PLAIN_PDF),
});

/** A batch as somebody did it, to do it again with another spreadsheet: columns by their names, since their places change. */
export const savedBatch = z.object({
  template: z.string(),
  version: z.number(),
  /** All columns of the spreadsheet and fields of the template, to find new ones. */
  columns: z.array(z.string()),
  fields: z.array(z.string()),
  filled: z.record(
    z.string(),
    z.union([
      z.object({ column: z.string() }),
      z.object({ same: z.string() }),
      z.object({ empty: z.literal(true) }),
    ]),
  ),
  output: savedOutput,
  dataLocale: z.string(),
  rows: z.number(),
});
export type SavedBatch = z.infer<typeof savedBatch>;

/** The current mapping by names. */
export function filledOf(mapping: Mapping, columns: readonly string[]): SavedBatch['filled'] {
  const filled: SavedBatch['filled'] = {};
  for (const [path, filling] of mapping) {
    if (!('column' in filling)) filled[path] = filling;
    else filled[path] = { column: columns[filling.column] ?? '' };
  }
  return filled;
}

/** The columns alone: field → name of its column. */
export function columnsOf({ filled }: SavedBatch): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filled).flatMap(([path, filling]) =>
      'column' in filling ? [[path, filling.column] as const] : [],
    ),
  );
}

/** The changes since last time. */
export interface Changes {
  readonly version: { readonly was: number; readonly is: number } | null;
  /** Columns that filled a field and are gone. */
  readonly lost: readonly { readonly column: string; readonly path: string }[];
  /** Other columns that are gone. */
  readonly gone: readonly string[];
  readonly newColumns: readonly string[];
  readonly newFields: readonly string[];
  readonly goneFields: readonly string[];
}

/**
 * The mapping of the last time for the spreadsheet and the template of now. A field whose column is gone, and a field that is
 * new, get a guess, which somebody has to confirm; what was left open on purpose stays open.
 */
export function doAgain(
  saved: SavedBatch,
  {
    fields,
    columns,
    version,
  }: {
    readonly fields: readonly TemplateField[];
    readonly columns: readonly string[];
    readonly version: number;
  },
): { readonly mapping: Map<string, Filling>; readonly changes: Changes } {
  const here = new Set(columns);
  const paths = new Set(fields.map(({ path }) => path));
  const known = new Set(saved.fields);
  const last: Record<string, string> = {};
  const decided = new Map<string, Filling>();
  const lost: { column: string; path: string }[] = [];
  for (const [path, filling] of Object.entries(saved.filled)) {
    if (!paths.has(path)) continue;
    if (!('column' in filling)) decided.set(path, filling);
    else if (here.has(filling.column)) last[path] = filling.column;
    else lost.push({ column: filling.column, path });
  }
  const isOpen = ({ path }: TemplateField): boolean =>
    !decided.has(path) &&
    (path in last || !known.has(path) || lost.some((each) => each.path === path));
  const matched = autoMatch(fields.filter(isOpen), columns, last);
  const missing = new Set(lost.map(({ column }) => column));
  return {
    mapping: new Map([...decided, ...matched]),
    changes: {
      version: version === saved.version ? null : { was: saved.version, is: version },
      lost,
      gone: saved.columns.filter((name) => !here.has(name) && !missing.has(name)),
      newColumns: columns.filter((name) => name !== '' && !saved.columns.includes(name)),
      newFields: [...paths].filter((path) => !known.has(path)),
      goneFields: saved.fields.filter((path) => !paths.has(path)),
    },
  };
}

/** Each change in a sentence, what needs somebody first. */
export function inSentences(changes: Changes): string[] {
  const { version, lost, gone, newColumns, newFields, goneFields } = changes;
  const quoted = (names: readonly string[]): string => names.map((name) => `“${name}”`).join(', ');
  const are = (names: readonly string[], one: string, many: string): string =>
    names.length === 1 ? one : many;
  return [
    ...lost.map(({ column, path }) => `The column “${column}”, used for ${path}, is missing.`),
    ...(newFields.length === 0
      ? []
      : [`${are(newFields, 'A field is', 'Fields are')} new: ${newFields.join(', ')}.`]),
    ...(newColumns.length === 0
      ? []
      : [`${are(newColumns, 'A column is', 'Columns are')} new: ${quoted(newColumns)}.`]),
    ...(gone.length === 0
      ? []
      : [
          `${are(gone, 'A column', 'Columns')} that nothing used ${are(gone, 'is', 'are')} missing: ${quoted(gone)}.`,
        ]),
    ...(goneFields.length === 0 ? [] : [`The template no longer has ${goneFields.join(', ')}.`]),
    ...(version === null
      ? []
      : [`The template is now version ${version.is}; it was ${version.was}.`]),
  ];
}
