import { type FieldUse, editDistance, nearest, pathOf } from '@millrace/docx';
import { DocumentError } from '../errors.ts';
import { fieldsNamed } from '../one/names.ts';
import { fieldsOf } from './rows/table.ts';

/**
 * Header and template are both known before the first row: a field that no column has would be empty in every document.
 * A field that the template only tests, or gives a default, may be missing, unless a column that nothing uses has
 * almost its name.
 */
export interface ColumnCheck {
  readonly columns: readonly string[];
  readonly fields: readonly FieldUse[];
  /** Of an XLSX. */
  readonly sheet?: string | undefined;
  /** What names fields beside the template: `outputFileName` and `subject`. */
  readonly patterns: Readonly<Record<string, string | undefined>>;
}

const MOST_NAMED = 10;
const NEAR = 2;
const MOST_COMPARED = 2_000;

/**
 * Fields that are printed and that no column has: left empty in a batch that may do without them. Not those of an object that the
 * template asks about: with one of them in it, the object would be there.
 */
export function fieldsWithoutColumn(
  columns: readonly string[],
  fields: readonly FieldUse[],
): string[] {
  const { asked, isThere } = against(columns, fields);
  const isAskedAbout = (path: string) =>
    asked.some((use) => !use.required && path.startsWith(`${use.path}.`));
  const missing = asked.filter(
    ({ path, required }) => required && !isThere(path) && !isAskedAbout(path),
  );
  return [...new Set(missing.map(({ path }) => path))];
}

function against(columns: readonly string[], fields: readonly FieldUse[]) {
  const paths = fieldsOf(columns).map(({ path }) => pathOf(path));
  const isThere = (path: string) =>
    has(paths, path) || has(paths, path.replace(/__formatted$/, ''));
  // What is inside of a list goes with the list.
  const asked = fields.filter(({ path }) => !path.includes('[]'));
  return { paths, isThere, asked };
}

export function checkColumns({ columns, fields, patterns, sheet }: ColumnCheck): void {
  const { paths, isThere, asked } = against(columns, fields);
  const unused = paths.filter((path) => !asked.some((use) => use.path === path));
  const missing = new Set<string>();
  for (const { path } of asked.filter((use) => !isThere(use.path)))
    if (!mayBeMissing(path, asked) || isSlip(path, unused)) missing.add(path);
  const sentences: string[] = [];
  if (missing.size > 0)
    sentences.push(`The template asks for ${listed(missing, paths)}, which no column is named.`);
  const lists = new Set(asked.filter(({ kind }) => kind === 'list').map(({ path }) => path));
  const inCells = [...lists].filter((path) => paths.includes(path) || missing.has(path));
  if (inCells.length > 0)
    sentences.push(
      `${inCells.join(', ')}: the template repeats something for each, and a cell holds no list. JSON Lines can.`,
    );
  for (const [what, pattern] of Object.entries(patterns)) {
    const unknown = fieldsNamed(pattern ?? '').filter((path) => !paths.includes(path));
    if (unknown.length > 0)
      sentences.push(
        `The ${what} names ${listed(new Set(unknown), paths)}, which no column is named.`,
      );
  }
  if (sentences.length === 0) return;
  throw new DocumentError(
    'missing_columns',
    `${sentences.join(' ')} ${titleOrSheet(columns, sheet)}Correct the name, or leave such fields empty with --allow-missing (allowMissing=true).`,
  );
}

/** A title above the table, or another sheet than the one that was meant. */
function titleOrSheet(columns: readonly string[], sheet: string | undefined): string {
  const named = columns.filter((name) => name !== '');
  const of = sheet === undefined ? '' : ` of the sheet "${sheet}"`;
  const other = sheet === undefined ? '' : ' Another sheet is chosen with --sheet.';
  if (named.length !== 1) return sheet === undefined ? '' : `The sheet is "${sheet}".${other} `;
  return `The first row${of} has one cell only, "${named[0]?.slice(0, 80)}": if that is a title, remove it, so that the first row names the columns.${other} `;
}

/** As a field, or as an object of fields. */
function has(paths: readonly string[], path: string): boolean {
  return paths.some((name) => name === path || name.startsWith(`${path}.`));
}

/** Tested, or given a default: itself or what it is in. */
function mayBeMissing(path: string, asked: readonly FieldUse[]): boolean {
  return asked.some(
    (use) => !use.required && (use.path === path || path.startsWith(`${use.path}.`)),
  );
}

/** Whether one of the first columns that nothing uses has almost the name of a field. */
function isSlip(path: string, unused: readonly string[]): boolean {
  if (path.length <= NEAR + 2) return false;
  const small = path.toLowerCase();
  return unused
    .slice(0, MOST_COMPARED)
    .some(
      (name) =>
        Math.abs(name.length - small.length) <= NEAR &&
        editDistance(name.toLowerCase(), small) <= NEAR,
    );
}

/** Names are compared for those that are shown only. */
function listed(missing: ReadonlySet<string>, paths: readonly string[]): string {
  const shown = [...missing].slice(0, MOST_NAMED).map((path) => {
    const near = nearest(path, paths);
    return near === undefined ? path : `${path} → ${near}?`;
  });
  const more = missing.size - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
