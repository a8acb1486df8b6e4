import { type Document, after, isSymbol, keyword, readWithin } from './document.ts';
import { type Token, lex } from './tokens.ts';

/**
 * Lays a query out for people: a line for each column, join and condition, keywords in capitals. Only the space between
 * tokens and the case of keywords change, which is checked at the end; a text that cannot be laid out so is returned as it is.
 */
export function formatSql(text: string): string {
  const doc = readWithin(text);
  if (doc === null || doc.unterminated !== null || doc.unpaired.length > 0) return text;
  const laidOut = layOut(doc);
  return isSame(doc.tokens, lex(laidOut).tokens) ? laidOut : text;
}

/** The same tokens, comments among them, but for the case of keywords. */
function isSame(one: readonly Token[], other: readonly Token[]): boolean {
  return (
    one.length === other.length &&
    one.every((token, index) => {
      const twin = other[index];
      if (twin?.kind !== token.kind) return false;
      if (KEYWORDS.has(token.word) || COMPANIONS.has(token.word)) return twin.word === token.word;
      return twin.text === (token.kind === 'comment' ? token.text.trimEnd() : token.text);
    })
  );
}

/** Words that can be no names, so that their case is nobody's business. */
const KEYWORDS = new Set(
  `SELECT DISTINCT TOP PERCENT WITH FROM WHERE GROUP HAVING ORDER ASC DESC UNION ALL EXCEPT INTERSECT INNER LEFT RIGHT FULL
   OUTER CROSS JOIN ON AS AND OR NOT IN IS NULL LIKE BETWEEN EXISTS CASE WHEN THEN ELSE END OVER BY OPTION VALUES COLLATE`.split(
    /\s+/,
  ),
);
/** Words that are keywords only beside these. */
const COMPANIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['APPLY', ['CROSS', 'OUTER']],
  ['TIES', ['WITH']],
  ['PARTITION', ['BY']],
]);

function isKeyword(doc: Document, index: number): boolean {
  const word = keyword(doc, index);
  const beside = [keyword(doc, index - 1), keyword(doc, index + 1)];
  return (
    KEYWORDS.has(word) || COMPANIONS.get(word)?.some((other) => beside.includes(other)) === true
  );
}

const CLAUSES = new Set(
  'FROM WHERE GROUP HAVING ORDER UNION EXCEPT INTERSECT OPTION FOR'.split(' '),
);
const JOIN_WORDS = new Set('INNER LEFT RIGHT FULL CROSS OUTER HASH LOOP MERGE'.split(' '));
const FUNCTIONS = new Set(['LEFT', 'RIGHT']);

/** Shorter ones stay on their line. */
const MAX_CASE = 60;
/** Deeper levels are not indented further: no text grows by more than that for each line. */
const MAX_INDENT = 40;

interface Level {
  readonly kind: 'query' | 'inline' | 'case';
  readonly indent: number;
  /** Of BETWEEN, whose AND is none of the condition. */
  betweens: number;
  /** Within a SELECT list of several columns, which have a line each. */
  isList: boolean;
}

function layOut(doc: Document): string {
  const levels: Level[] = [];
  const bottom = newLevel('query', 0);
  const out: string[] = [];
  /** Of the line that is being written. */
  let lineIndent = 0;
  /** The indent of the line that the next token begins; -1 where it stays on this one. */
  let breakTo = -1;
  let index = -1;

  function write(word: string, space: boolean): void {
    if (breakTo >= 0) {
      lineIndent = Math.min(breakTo, MAX_INDENT);
      out.push('\n', '  '.repeat(lineIndent));
    } else if (space && out.length > 0) out.push(' ');
    out.push(word);
    breakTo = -1;
  }

  /** A comment stays on the line of what stands before it, or on one of its own. */
  function writeComment(position: number, token: Token): void {
    const before = doc.tokens[position - 1];
    const next = doc.tokens[position + 1];
    const beganLine = before !== undefined && isBreak(before.end, token.start);
    const asked = breakTo;
    breakTo = beganLine ? (asked >= 0 ? asked : lineIndent) : -1;
    write(token.text.trimEnd(), true);
    const endsLine =
      token.text.startsWith('--') ||
      ((beganLine || before === undefined) && isBreak(token.end, next?.start));
    if (endsLine) breakTo = asked >= 0 ? asked : lineIndent;
    else breakTo = beganLine ? -1 : asked;
  }

  function isBreak(from: number, to: number | undefined): boolean {
    return /[\r\n]/.test(doc.text.slice(from, to));
  }

  for (const [position, token] of doc.tokens.entries()) {
    if (token.kind === 'comment') {
      writeComment(position, token);
      continue;
    }
    index += 1;
    const level = levels.at(-1) ?? bottom;
    const partner = doc.partner[index] ?? -1;
    if (partner >= 0 && partner < index) {
      levels.pop();
      if (level.kind !== 'inline') breakTo = level.indent - 1;
    } else {
      const to = breakBefore(doc, index, level);
      if (to >= 0) breakTo = to;
    }
    const beganLine = breakTo >= 0;
    write(isKeyword(doc, index) ? token.word : token.text, hasSpaceBefore(doc, index));
    if (partner > index) {
      const kind = levelKind(doc, index);
      levels.push(newLevel(kind, lineIndent + 1));
      if (kind === 'query') breakTo = lineIndent + 1;
    } else if (level.kind === 'query') {
      if (keyword(doc, index) === 'SELECT') level.isList = hasManyColumns(doc, index);
      // A comma that begins its line, after a comment, has its column beside it.
      const endsColumn = token.text === ',' && !beganLine;
      if (level.isList && (endsColumn || isListStart(doc, index))) breakTo = level.indent + 1;
    } else if ((levels.at(-1) ?? bottom).isList && isListStart(doc, index)) {
      breakTo = (levels.at(-1) ?? bottom).indent + 1; // after TOP (…)
    }
  }
  return out.join('');
}

function newLevel(kind: Level['kind'], indent: number): Level {
  return { kind, indent, betweens: 0, isList: false };
}

function levelKind(doc: Document, index: number): Level['kind'] {
  if (isSymbol(doc, index, '(')) {
    let at = index + 1;
    while (isSymbol(doc, at, '(')) at += 1;
    return keyword(doc, at) === 'SELECT' ? 'query' : 'inline';
  }
  let length = 0;
  for (let at = index; at <= (doc.partner[index] ?? index) && length <= MAX_CASE; at += 1) {
    length += (doc.code[at]?.text.length ?? 0) + 1;
  }
  return length > MAX_CASE ? 'case' : 'inline';
}

/** The indent of the line that the token begins; -1: none. */
function breakBefore(doc: Document, index: number, level: Level): number {
  const word = keyword(doc, index);
  if (level.kind === 'case') return word === 'WHEN' || word === 'ELSE' ? level.indent : -1;
  if (word === 'BETWEEN') level.betweens += 1;
  if (word === 'AND' && level.betweens > 0) {
    level.betweens -= 1;
    return -1;
  }
  if (level.kind === 'inline' || index === 0) return -1;
  const before = keyword(doc, index - 1);
  if (CLAUSES.has(word) && before !== 'WITHIN') {
    level.isList = false;
    return level.indent;
  }
  if (word === 'SELECT') return level.indent;
  if (isJoin(doc, index)) return level.indent;
  return word === 'ON' || word === 'AND' || word === 'OR' ? level.indent + 1 : -1;
}

/** The first word of a join. */
function isJoin(doc: Document, index: number): boolean {
  const word = keyword(doc, index);
  if (JOIN_WORDS.has(keyword(doc, index - 1))) return false;
  if (word === 'JOIN') return true;
  if (!JOIN_WORDS.has(word)) return false;
  let at = index + 1;
  while (JOIN_WORDS.has(keyword(doc, at))) at += 1;
  return keyword(doc, at) === 'JOIN' || keyword(doc, at) === 'APPLY';
}

/** The last token before the first column: SELECT, DISTINCT, or the end of TOP. */
function isListStart(doc: Document, index: number): boolean {
  const word = keyword(doc, index);
  const next = keyword(doc, index + 1);
  if (word === 'SELECT') return !['DISTINCT', 'ALL', 'TOP'].includes(next);
  if (word === 'DISTINCT' || word === 'ALL')
    return keyword(doc, index - 1) === 'SELECT' && next !== 'TOP';
  const top = isSymbol(doc, index, ')') ? (doc.partner[index] ?? 0) - 1 : index - 1;
  if (keyword(doc, top) === 'TOP') return next !== 'PERCENT' && next !== 'WITH';
  if (word === 'PERCENT') return next !== 'WITH';
  return word === 'TIES' && keyword(doc, index - 1) === 'WITH';
}

function hasManyColumns(doc: Document, select: number): boolean {
  for (let at = select + 1; at < doc.code.length; at = after(doc, at)) {
    if (isSymbol(doc, at, ',')) return true;
    if (CLAUSES.has(keyword(doc, at)) || keyword(doc, at) === 'SELECT' || isSymbol(doc, at, ')'))
      return false;
  }
  return false;
}

const NO_SPACE_BEFORE = new Set([',', ')', ';', '.', '::', ':']);
const NO_SPACE_AFTER = new Set(['(', '.', '::', ':']);

function hasSpaceBefore(doc: Document, index: number): boolean {
  const token = doc.code[index];
  const before = doc.code[index - 1];
  if (token === undefined || before === undefined) return true;
  const isOperator = (one: Token) => one.kind === 'operator';
  if (isOperator(token) && NO_SPACE_BEFORE.has(token.text)) return false;
  if (isOperator(before) && NO_SPACE_AFTER.has(before.text)) return false;
  if (token.text === '(' && (before.kind === 'word' || before.kind === 'name')) {
    return isKeyword(doc, index - 1) && !FUNCTIONS.has(before.word);
  }
  return !(isSign(doc, index - 1) && !isOperator(token));
}

/** `-` and `+` of one operand */
function isSign(doc: Document, index: number): boolean {
  if (!isSymbol(doc, index, '-') && !isSymbol(doc, index, '+')) return false;
  const before = doc.code[index - 1];
  if (before === undefined) return true;
  if (before.kind === 'operator') return before.text !== ')';
  return before.word !== 'END' && before.word !== 'NULL' && isKeyword(doc, index - 1);
}
