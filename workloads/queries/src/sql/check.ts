import { type Catalogue } from './columns.ts';
import { checkColumns } from './check-columns.ts';
import {
  type Document,
  MAX_DEPTH,
  MAX_LENGTH,
  after,
  isSymbol,
  keyword,
  read,
} from './document.ts';
import { type Finding, type Report, excerpt, openReport } from './findings.ts';
import { type Query, readQuery } from './shape.ts';
import type { Token } from './tokens.ts';

export interface Check {
  readonly findings: readonly Finding[];
  /**
   * `refused`: an error is among the findings. `unknown`: nothing is surely wrong, and the columns could not be read either;
   * Marketing Cloud's own validation decides.
   */
  readonly verdict: 'accepted' | 'refused' | 'unknown';
}

/**
 * Whether Marketing Cloud can run a text, as far as that is sure without asking it: it runs
 * `INSERT INTO target (…) SELECT … FROM (text) AS querydef`, so that the text must be one SELECT that can stand in
 * parentheses, and whose columns can be fields of a data extension. What is only likely to be wrong is left to its own
 * validation. With a catalogue, `*` is expanded and the names that it stands for are checked too.
 */
export function checkSql(text: string, catalogue?: Catalogue): Check {
  const report = openReport(text);
  const query = findAll(text, report, catalogue);
  const isRefused = report.findings.some((finding) => finding.severity === 'error');
  return {
    findings: report.findings,
    verdict: isRefused ? 'refused' : query === null ? 'unknown' : 'accepted',
  };
}

function findAll(text: string, report: Report, catalogue: Catalogue | undefined): Query | null {
  if (text.length > MAX_LENGTH) {
    report.add(
      'too_long',
      0,
      0,
      `The query has ${text.length} characters; ${MAX_LENGTH} are read at the most.`,
    );
    return null;
  }
  checkCharacters(text, report);
  const doc = read(text);
  if (!checkText(doc, report) || !checkStatement(doc, report) || !checkPairs(doc, report))
    return null;
  checkTokens(doc, report);
  const query = readQuery(doc, 0, doc.code.length);
  if (query === null) return null;
  const isWhole = checkEnd(doc, query, report);
  checkOrders(doc, query, report);
  checkColumns(doc, query, report, catalogue);
  return isWhole && doc.code.every((token) => token.kind !== 'stray') ? query : null;
}

/** What XML cannot carry, and with it no request to Marketing Cloud: control characters, halves of surrogate pairs. */
const FORBIDDEN =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function checkCharacters(text: string, report: Report): void {
  for (const { index, 0: char } of text.matchAll(FORBIDDEN)) {
    const code = char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    report.add(
      'forbidden_character',
      index,
      index + 1,
      `The character U+${code} cannot be sent; remove it.`,
    );
  }
}

const UNTERMINATED = {
  string:
    "This string has no end. Close it with '; an apostrophe inside is written twice: 'it''s'.",
  name: 'This name in brackets or quotation marks has no end. Close it with the same mark: [My Data Extension].',
  comment: 'This comment has no end. Close it with */; comments nest, so each /* needs one.',
} as const;

/** False, as of the two after it: so broken that reading on would only find consequences. */
function checkText(doc: Document, report: Report): boolean {
  const { code, unterminated } = doc;
  if (unterminated !== null) {
    const { what, start } = unterminated;
    report.add(`unterminated_${what}`, start, start + 1, UNTERMINATED[what]);
    return false;
  }
  if (code.length === 0) {
    report.add('empty', 0, 0, 'There is no query. Write one that begins with SELECT.');
  }
  return code.length > 0;
}

function checkPairs(doc: Document, report: Report): boolean {
  for (const index of doc.unpaired) {
    const token = doc.code[index];
    if (token === undefined) continue;
    report.add(
      'unbalanced',
      token.start,
      token.end,
      `This ${token.word || token.text} has no ${PARTNERS[token.word || token.text]}. Add it, or remove this one.`,
    );
  }
  if (doc.depth > MAX_DEPTH) {
    report.add(
      'nested_too_deeply',
      0,
      0,
      `The query nests more than ${MAX_DEPTH} levels deep. Split it in several.`,
    );
  }
  return doc.unpaired.length === 0 && doc.depth <= MAX_DEPTH;
}

const PARTNERS: Readonly<Record<string, string>> = { '(': ')', ')': '(', CASE: 'END', END: 'CASE' };

/** Reserved words of T-SQL that begin another kind of statement and have no place in a SELECT. */
const STATEMENTS = new Set(
  `INSERT UPDATE DELETE MERGE TRUNCATE CREATE ALTER DROP DECLARE SET EXEC EXECUTE GRANT REVOKE DENY BEGIN COMMIT ROLLBACK
   PRINT WHILE RETURN USE BACKUP RESTORE KILL`.split(/\s+/),
);

function checkTokens(doc: Document, report: Report): void {
  for (const [index, token] of doc.code.entries()) {
    const { start, end, kind } = token;
    if (kind === 'variable' && !token.text.startsWith('@@')) {
      report.add(
        'variable',
        start,
        end,
        `Marketing Cloud has no variables. Write the value in the place of ${excerpt(token.text)}.`,
      );
    } else if (
      kind === 'temporary' &&
      ['FROM', 'JOIN', 'APPLY'].includes(keyword(doc, index - 1))
    ) {
      // Elsewhere it can be the name of a column: # is a letter of names.
      const instead = 'Write its query as a subquery: FROM (SELECT …) AS name.';
      report.add(
        'temporary_table',
        start,
        end,
        `Marketing Cloud has no temporary tables. ${instead}`,
      );
    } else if (kind === 'stray') checkStray(token, report);
    else if (kind === 'word') checkWord(doc, index, token, report);
  }
}

function checkStray(token: Token, report: Report): void {
  const { start, end, text } = token;
  if (/[‘’‚‛′´`]/.test(text)) {
    report.add(
      'stray_character',
      start,
      end,
      `${text} is no quotation mark of SQL. Write ' around text.`,
    );
  } else if (/[“”„‟″«»]/.test(text)) {
    report.add(
      'stray_character',
      start,
      end,
      `${text} is no quotation mark of SQL. Write ' around text, [ and ] around names.`,
    );
  }
}

function checkWord(doc: Document, index: number, token: Token, report: Report): void {
  const { start, end } = token;
  const word = keyword(doc, index);
  const before = keyword(doc, index - 1);
  if (word === 'INTO') {
    report.add(
      'into',
      start,
      end,
      'The result goes into a data extension of its own. Leave out INTO and the name after it.',
    );
  } else if (word === 'GO' && isAlone(doc, index)) {
    report.add(
      'several_statements',
      start,
      end,
      'GO separates batches; only one query can run. Remove it.',
    );
  } else if (word === 'WITH' && doc.code[index - 1]?.text === '(') {
    report.add('leading_with', start, end, WITH_INSTEAD);
  } else if (word === 'LIMIT' && doc.code[index + 1]?.kind === 'number' && before !== 'AS') {
    const instead = `SELECT TOP ${excerpt(doc.code[index + 1]?.text ?? '')}`;
    report.add(
      'limit',
      start,
      end,
      `Marketing Cloud has no LIMIT. Write ${instead} at the beginning.`,
    );
  } else if (
    index > 0 &&
    STATEMENTS.has(word) &&
    !isHint(word, keyword(doc, index + 1)) &&
    before !== 'AS'
  ) {
    report.add(
      'statement_inside',
      start,
      end,
      `${word} is no part of a SELECT, and only one SELECT can run. Remove it.`,
    );
  }
}

/** `INNER MERGE JOIN`, `OPTION (MERGE UNION, USE HINT ('…'))` */
function isHint(word: string, next: string): boolean {
  return word === 'MERGE'
    ? next === 'JOIN' || next === 'UNION'
    : word === 'USE' && (next === 'HINT' || next === 'PLAN');
}

/** On a line of its own. Elsewhere it could be the name of something. */
function isAlone(doc: Document, index: number): boolean {
  const { code, text } = doc;
  const before = text.slice(code[index - 1]?.end ?? 0, code[index]?.start);
  const behind = text.slice(code[index]?.end, code[index + 1]?.start);
  return (
    (index === 0 || before.includes('\n')) && (index === code.length - 1 || behind.includes('\n'))
  );
}

const WITH_INSTEAD =
  'The query stands inside another one, where WITH is not possible. Write each of its queries as a subquery: FROM (SELECT …) AS name.';

function checkStatement(doc: Document, report: Report): boolean {
  let first = 0;
  while (doc.code[first]?.text === '(') first += 1;
  const token = doc.code[first];
  if (token === undefined || token.word === 'SELECT') return true; // without any token, parentheses are left open
  if (token.word === 'WITH') {
    report.add('leading_with', token.start, token.end, WITH_INSTEAD);
    return false;
  }
  const found = STATEMENTS.has(token.word)
    ? `${token.word} cannot run`
    : `This begins with ${excerpt(token.text)}`;
  report.add(
    'not_select',
    token.start,
    token.end,
    `${found}: only a SELECT can. Begin with SELECT.`,
  );
  return false;
}

/** What stands after the query. False: something that is not understood. */
function checkEnd(doc: Document, query: Query, report: Report): boolean {
  let at = query.end;
  while (doc.code[at]?.text === ';') at += 1;
  const next = doc.code[at];
  const semicolon = doc.code[query.end];
  if (next === undefined && semicolon !== undefined) {
    report.add(
      'semicolon',
      semicolon.start,
      semicolon.end,
      'Remove the semicolon: Marketing Cloud puts the query inside another one, where it is an error.',
    );
  } else if (next !== undefined && (at > query.end || next.word === 'SELECT')) {
    const message = 'Only one query can run at a time. Remove this one, or join both by UNION ALL.';
    report.add('several_statements', next.start, next.end, message);
  }
  return next === undefined;
}

/** The whole query stands inside another one, as each query in parentheses does. */
function checkOrders(doc: Document, whole: Query, report: Report): void {
  checkOrder(doc, whole, report);
  for (let at = 0; at < doc.code.length; at += 1) {
    if (!isSymbol(doc, at, '(') || keyword(doc, at + 1) !== 'SELECT') continue;
    const query = readQuery(doc, at + 1, after(doc, at) - 1);
    if (query !== null) checkOrder(doc, query, report);
  }
}

/** An error of SQL Server (1033) wherever a query stands inside another one. */
function checkOrder(doc: Document, query: Query, report: Report): void {
  const [select] = query.selects;
  const order = doc.code[query.orderAt];
  const isUnion = query.selects.length > 1;
  if (order === undefined || query.ordersRows || (!isUnion && select?.hasTop === true)) return;
  const instead = isUnion
    ? 'write SELECT TOP 100 … FROM (both queries) AS u before it'
    : 'write SELECT TOP with a number, such as SELECT TOP 100';
  report.add(
    'order_without_top',
    order.start,
    order.end,
    `Marketing Cloud refuses ORDER BY without TOP. Remove it, or ${instead}.`,
  );
}
