import { type Catalogue, fieldNameOf, queryColumns } from './columns.ts';
import { type Document, keyword } from './document.ts';
import { type Report, excerpt } from './findings.ts';
import { type Item, type Query, type Select, readQuery } from './shape.ts';

/** Longer names of fields are refused by Marketing Cloud. */
const MAX_NAME = 128;

/**
 * The columns of the result become fields of a data extension. Which characters their names may have, Marketing Cloud decides:
 * of 4,323 data extensions in use, 451 have a field such as `CampaignMember:Id`.
 */
export function checkColumns(
  doc: Document,
  query: Query,
  report: Report,
  catalogue: Catalogue | undefined,
): void {
  for (const select of query.selects) {
    checkItems(doc, select, report);
    checkSources(doc, select, report);
  }
  const [first] = query.selects;
  if (first === undefined) return;
  const seen = new Set<string>();
  for (const item of first.items) {
    if (item.star === null) checkNames(doc, item, report, seen);
    else if (catalogue !== undefined) checkStar(doc, query, item, report, seen, catalogue);
  }
}

function checkItems(doc: Document, select: Select, report: Report): void {
  const start = doc.code[select.start];
  for (const item of select.items) {
    const token = doc.code[item.from];
    if (item.from >= item.to && start !== undefined) {
      const place = item.from === select.start + 1 || token === undefined ? start : token;
      report.add(
        'empty_column',
        place.start,
        place.end,
        'A column is missing here. Name one, or remove the comma too many.',
      );
    } else if (item.star?.qualifier === null && select.hasJoin && token !== undefined) {
      const message =
        'SELECT * cannot be used with a join. Name the columns: SELECT a.SubscriberKey, b.EmailAddress.';
      report.add('star_with_join', token.start, token.end, message);
    }
  }
}

/** A column of a derived table without a name is an error of SQL Server, wherever it stands in the query. */
function checkSources(doc: Document, select: Select, report: Report): void {
  for (const source of select.sources) {
    if (source.kind !== 'query') continue;
    const query = readQuery(doc, source.from, source.to);
    const [first] = query?.selects ?? [];
    if (query === null || first === undefined) continue;
    if (source.columnNames === null) {
      for (const item of first.items) checkNamed(doc, item, report);
    }
    for (const inner of query.selects) checkSources(doc, inner, report);
  }
}

/** False: it has no name, which is reported. */
function checkNamed(doc: Document, item: Item, report: Report): boolean {
  if (item.star !== null || item.name !== null || item.from >= item.to) return true;
  const first = doc.code[item.from];
  const last = doc.code[item.to - 1];
  if (first === undefined || last === undefined) return true;
  // A part of the text that was not understood may well contain a name.
  if (doc.code.slice(item.from, item.to).some((token) => token.kind === 'stray')) return true;
  report.add(
    'unnamed_column',
    first.start,
    last.end,
    `This column has no name. Add one after it: ${example(doc, item)}.`,
  );
  return false;
}

function example(doc: Document, item: Item): string {
  const first = doc.code[item.from];
  const shown =
    item.to - item.from <= 8 ? doc.text.slice(first?.start, doc.code[item.to - 1]?.end) : '…';
  return `${shown.includes('\n') ? '…' : excerpt(shown)} AS ${keyword(doc, item.from) === 'COUNT' ? 'Total' : 'SomeName'}`;
}

function checkNames(doc: Document, item: Item, report: Report, seen: Set<string>): void {
  if (!checkNamed(doc, item, report) || item.name === null) return;
  const token = doc.code[item.nameAt];
  if (token !== undefined) checkName(item.name, token.start, token.end, report, seen);
}

function checkStar(
  doc: Document,
  query: Query,
  item: Item,
  report: Report,
  seen: Set<string>,
  catalogue: Catalogue,
): void {
  const [first] = query.selects;
  const token = doc.code[item.to - 1];
  const start = doc.code[item.from]?.start;
  if (first === undefined || token === undefined || start === undefined) return;
  const columns = queryColumns(
    doc,
    { ...query, selects: [{ ...first, items: [item] }] },
    catalogue,
  );
  if (columns === null) {
    const message = 'The fields that * stands for are not known here. Name the columns.';
    report.add('star_unknown', start, token.end, message);
    return;
  }
  for (const column of columns) checkName(column.name, start, token.end, report, seen);
}

function checkName(
  written: string,
  start: number,
  end: number,
  report: Report,
  seen: Set<string>,
): void {
  const name = fieldNameOf(written);
  const instead = 'Give it another name with AS.';
  if (name === '') {
    report.add('unnamed_column', start, end, 'This name is empty. Write one after AS.');
    return;
  }
  if (seen.has(name.toLowerCase())) {
    const message = `Two columns are called ${excerpt(name)}, capitals aside. Give one of them another name with AS.`;
    report.add('column_name_duplicate', start, end, message);
  }
  seen.add(name.toLowerCase());
  if (name.length > MAX_NAME) {
    report.add(
      'column_name_length',
      start,
      end,
      `The name of a column has ${MAX_NAME} characters at the most. ${instead}`,
    );
  } else if (name.startsWith('_')) {
    report.add(
      'column_name_underscore',
      start,
      end,
      `A column's name cannot begin with _. ${instead}`,
    );
  }
}
