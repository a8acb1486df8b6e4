import { type Document, after, isSymbol, keyword } from './document.ts';
import {
  type Kind,
  BIG,
  DATE,
  FRACTION,
  LONG_TEXT,
  MAX_TEXT,
  NUMBER,
  asText,
  decimal,
  isNumeric,
  kindOfNumber,
  kindOfSqlType,
  text,
  united,
} from './kinds.ts';
import { isPath } from './shape.ts';
import { unquoted } from './tokens.ts';

/** What the types of an expression depend on besides its tokens. */
export interface Surroundings {
  /** Of `name` or `table.name`; null: unknown. */
  column(path: readonly string[]): Kind | null;
  /** Of the only column of a query in parentheses. */
  query(from: number, to: number): Kind | null;
}

/** NULL takes the type of what stands beside it. */
type Inferred = Kind | 'null' | null;

const NUMBERS = new Set(
  `COUNT LEN DATALENGTH DATEDIFF DATEPART YEAR MONTH DAY CHARINDEX PATINDEX ROW_NUMBER RANK DENSE_RANK NTILE ASCII UNICODE
   ISNUMERIC ISDATE CHECKSUM GROUPING GROUPING_ID DIFFERENCE`.split(/\s+/),
);
const BIGS = new Set(['COUNT_BIG', 'DATEDIFF_BIG']);
const DATES = new Set(
  `GETDATE GETUTCDATE SYSDATETIME SYSUTCDATETIME SYSDATETIMEOFFSET CURRENT_TIMESTAMP DATEADD EOMONTH DATEFROMPARTS
   DATETIMEFROMPARTS DATETIME2FROMPARTS SMALLDATETIMEFROMPARTS TODATETIMEOFFSET SWITCHOFFSET DATETRUNC`.split(
    /\s+/,
  ),
);
const FRACTIONS = new Set(
  `SQRT POWER EXP LOG LOG10 RAND PI SIN COS TAN ATAN STDEV STDEVP VAR VARP PERCENT_RANK CUME_DIST PERCENTILE_CONT`.split(
    /\s+/,
  ),
);
const LONG_TEXTS = new Set(
  `CONCAT CONCAT_WS FORMAT REPLACE STUFF REPLICATE SPACE STRING_AGG TRANSLATE JSON_VALUE QUOTENAME CHAR NCHAR STR DATENAME
   FORMATMESSAGE SOUNDEX`.split(/\s+/),
);
/** Of the type of their first argument. */
const LIKE_FIRST = new Set(
  'MIN MAX LAG LEAD FIRST_VALUE LAST_VALUE NULLIF ABS CEILING FLOOR ROUND SIGN'.split(' '),
);
const LIKE_FIRST_TEXT = new Set(
  'LOWER UPPER LTRIM RTRIM TRIM REVERSE SUBSTRING LEFT RIGHT'.split(' '),
);
const OPERATORS = new Set(['+', '-', '*', '/', '%', '&', '|', '^']);

/** Null: unknown. Tokens from `from` up to `to`, exclusive. */
export function infer(doc: Document, from: number, to: number, around: Surroundings): Kind | null {
  const kind = inferred(doc, from, to, around);
  return kind === 'null' ? null : kind;
}

function inferred(doc: Document, from: number, to: number, around: Surroundings): Inferred {
  const parts = operands(doc, from, to);
  if (parts === null) return null;
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return operand(doc, only.from, only.to, around);
  return arithmetic(
    parts.map((part) => operand(doc, part.from, part.to, around)),
    parts.slice(1).map((part) => part.operator),
  );
}

interface Operand {
  readonly operator: string;
  readonly from: number;
  readonly to: number;
}

/** The parts between arithmetic operators; null where an operator has nothing beside it. Signs belong to their operand. */
function operands(doc: Document, from: number, to: number): Operand[] | null {
  const parts: Operand[] = [];
  let operator = '';
  let start = from;
  for (let at = from; at < to; at = after(doc, at)) {
    const token = doc.code[at];
    if (token?.kind !== 'operator' || !OPERATORS.has(token.text)) continue;
    if (at === start) {
      if (token.text !== '-' && token.text !== '+') return null;
      start = at + 1;
      continue;
    }
    parts.push({ operator, from: start, to: at });
    operator = token.text;
    start = at + 1;
  }
  if (start >= to) return null;
  parts.push({ operator, from: start, to });
  return parts;
}

function arithmetic(kinds: readonly Inferred[], operators: readonly string[]): Kind | null {
  const known = kinds.filter((kind): kind is Kind => kind !== null && kind !== 'null');
  const isSum = operators.every((operator) => operator === '+');
  const texts = known.map(asText).filter((kind) => kind !== null);
  // 'Dear ' + FirstName: whatever the unknown is, text beside text is joined.
  if (isSum && texts.length > 0 && (texts.length === kinds.length || known.length < kinds.length)) {
    if (known.length < kinds.length) return LONG_TEXT;
    return text(texts.reduce((sum, kind) => sum + (kind.maxLength ?? MAX_TEXT), 0));
  }
  if (known.length < kinds.length) return null;
  if (known.some((kind) => kind.type === 'Date')) return DATE;
  if (known.some((kind) => kind.type === 'Decimal')) {
    return operators.some((operator) => operator === '*' || operator === '/')
      ? FRACTION
      : known.reduce(wider);
  }
  return known.some(isNumeric) ? NUMBER : null;
}

/** A sum can have one digit more than the widest of its parts; 18 hold it in all likelihood. */
function wider(one: Kind, other: Kind): Kind {
  const both = united(one, other) ?? FRACTION;
  return both.type === 'Decimal'
    ? decimal(Math.max(18, (both.maxLength ?? 18) + 1), both.scale ?? 0)
    : both;
}

/** One column, literal, function, CASE or parenthesis, with what may follow it. */
function operand(doc: Document, from: number, to: number, around: Surroundings): Inferred {
  const first = doc.code[from];
  if (first === undefined || from >= to) return null;
  const end = trailing(doc, from, to);
  if (end.isDate) return DATE;
  const last = end.to;
  const isSingle = last - from === 1;
  if (first.kind === 'string' && isSingle) return text(unquoted(first).length);
  if (first.kind === 'number' && isSingle) return kindOfNumber(first.text);
  if (keyword(doc, from) === 'NULL' && isSingle) return 'null';
  if (keyword(doc, from) === 'CURRENT_TIMESTAMP' && isSingle) return DATE;
  if (isSymbol(doc, from, '(') && after(doc, from) === last) {
    let inner = from + 1;
    while (isSymbol(doc, inner, '(')) inner += 1;
    if (keyword(doc, inner) === 'SELECT') return around.query(from + 1, last - 1);
    return inferred(doc, from + 1, last - 1, around);
  }
  if (keyword(doc, from) === 'CASE' && after(doc, from) === last)
    return caseOf(doc, from, last - 1, around);
  if (isPath(doc, from, last)) {
    const path = doc.code.slice(from, last).filter((token) => token.text !== '.');
    return around.column(path.map(unquoted));
  }
  if (first.kind === 'word' && isSymbol(doc, from + 1, '(') && after(doc, from + 1) === last) {
    return functionOf(doc, first.word, from + 1, around);
  }
  return null;
}

/** Leaves out OVER (…), WITHIN GROUP (…), COLLATE name; AT TIME ZONE makes a date of anything. */
function trailing(
  doc: Document,
  from: number,
  to: number,
): { readonly to: number; readonly isDate: boolean } {
  for (let at = after(doc, from); at < to; at = after(doc, at)) {
    const word = keyword(doc, at);
    if (word === 'AT' && keyword(doc, at + 1) === 'TIME') return { to: at, isDate: true };
    if (word === 'OVER' || word === 'WITHIN' || word === 'COLLATE')
      return { to: at, isDate: false };
  }
  return { to, isDate: false };
}

function caseOf(doc: Document, from: number, to: number, around: Surroundings): Inferred {
  const results: Inferred[] = [];
  let start = -1;
  for (let at = from + 1; at < to; at = after(doc, at)) {
    const word = keyword(doc, at);
    if (word !== 'WHEN' && word !== 'THEN' && word !== 'ELSE') continue;
    if (start >= 0) results.push(inferred(doc, start, at, around));
    start = word === 'WHEN' ? -1 : at + 1;
  }
  if (start >= 0) results.push(inferred(doc, start, to, around));
  return unitedAll(results);
}

function unitedAll(kinds: readonly Inferred[]): Inferred {
  const given = kinds.filter((kind) => kind !== 'null');
  if (given.length === 0) return 'null';
  return given.reduce((one, other) => united(one, other));
}

function functionOf(doc: Document, name: string, open: number, around: Surroundings): Inferred {
  const parts = argumentsOf(doc, open);
  const argument = (index: number): Inferred => {
    const part = parts[index];
    return part === undefined ? null : inferred(doc, part.from, part.to, around);
  };
  if (name === 'CAST' || name === 'TRY_CAST' || name === 'PARSE' || name === 'TRY_PARSE')
    return castOf(doc, parts[0]);
  if (name === 'CONVERT' || name === 'TRY_CONVERT') return sqlTypeAt(doc, open + 1);
  if (NUMBERS.has(name)) return NUMBER;
  if (BIGS.has(name)) return BIG;
  if (DATES.has(name)) return DATE;
  if (FRACTIONS.has(name)) return FRACTION;
  if (LONG_TEXTS.has(name)) return LONG_TEXT;
  if (name === 'NEWID') return text(36);
  if (name === 'SUM' || name === 'AVG') return totalOf(argument(0));
  if (name === 'COALESCE') return unitedAll(parts.map((_, index) => argument(index)));
  if (name === 'IIF' || name === 'CHOOSE')
    return unitedAll(parts.slice(1).map((_, index) => argument(index + 1)));
  if (name === 'ISNULL') {
    // Of the type of its first argument, by the documents of SQL Server, however long the second is.
    const first = argument(0);
    return first === 'null' ? argument(1) : first;
  }
  if (LIKE_FIRST.has(name)) return argument(0);
  if (LIKE_FIRST_TEXT.has(name)) {
    const first = argument(0);
    return first === null || first === 'null' ? LONG_TEXT : (asText(first) ?? LONG_TEXT);
  }
  return null;
}

function totalOf(kind: Inferred): Kind | null {
  if (kind === null || kind === 'null') return null;
  if (kind.type === 'Decimal') return decimal(Math.max(18, kind.maxLength ?? 18), kind.scale ?? 0);
  return kind.type === 'Number' || kind.type === 'Boolean' ? NUMBER : null;
}

/** `expression AS type` */
function castOf(
  doc: Document,
  part: { readonly from: number; readonly to: number } | undefined,
): Kind | null {
  if (part === undefined) return null;
  for (let at = part.from; at < part.to; at = after(doc, at)) {
    if (keyword(doc, at) === 'AS') return sqlTypeAt(doc, at + 1);
  }
  return null;
}

function sqlTypeAt(doc: Document, at: number): Kind | null {
  const name = doc.code[at];
  if (name === undefined) return null;
  const lengths = isSymbol(doc, at + 1, '(')
    ? doc.code.slice(at + 2, after(doc, at + 1) - 1).filter((token) => token.text !== ',')
    : [];
  return kindOfSqlType(
    unquoted(name).toUpperCase(),
    lengths.map((token) => token.text),
  );
}

function argumentsOf(
  doc: Document,
  open: number,
): { readonly from: number; readonly to: number }[] {
  const parts: { from: number; to: number }[] = [];
  const end = after(doc, open) - 1;
  let start = open + 1;
  for (let at = start; at < end; at = after(doc, at)) {
    if (!isSymbol(doc, at, ',')) continue;
    parts.push({ from: start, to: at });
    start = at + 1;
  }
  if (start < end) parts.push({ from: start, to: end });
  // COUNT(DISTINCT a), MAX(ALL a)
  return parts.map((part) =>
    ['DISTINCT', 'ALL'].includes(keyword(doc, part.from)) ? { ...part, from: part.from + 1 } : part,
  );
}
