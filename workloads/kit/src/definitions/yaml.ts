import {
  type Document,
  Lexer,
  LineCounter,
  Parser,
  type Range,
  type Scalar,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
} from 'yaml';
import { syntaxSentence } from './syntax.ts';
import type { FilePath } from './types.ts';

/** A file that can be read as YAML 1.2: what it says, and where it says it. */
export interface YamlText {
  readonly value: unknown;
  /**
   * Where the value at a path stands; where there is none, what it would have been in. `atKey`: where its name stands.
   * `within`: so many characters into a text that was written line by line, after `|`.
   */
  place(path: FilePath, options?: { readonly atKey?: boolean; readonly within?: number }): Place;
  /** The text at a path, or a number, true or false in the digits and letters that stand there; null: something else is. */
  written(path: FilePath): string | null;
  /** A path without the places in lists that the file did not write as lists, since they have one entry (`oneOrMore`). */
  asWritten(path: FilePath): FilePath;
}

/** Counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Misread extends Place {
  readonly message: string;
}

export type YamlRead = { readonly yaml: YamlText } | { readonly misread: readonly Misread[] };

/** One missing bracket can make an error of every line after it. */
const MOST_PROBLEMS = 20;

/**
 * Reads YAML 1.2 with its core schema: `no` and `on` are texts, `2026-01-31` too. Whatever could mean something else than its
 * writer thinks is refused: tags, aliases, numbers with leading zeros or more digits than a number keeps.
 */
export function readYaml(text: string): YamlRead {
  const lines = new LineCounter();
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    // An offset before the first line is that of an empty text.
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const deep = tooDeepAt(text, lines);
  if (deep !== null)
    return { misread: [{ ...placeOf(deep), message: 'This is nested too deep to be read.' }] };
  const document = parsed(text);
  const syntax = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    ...placeOf(pos[0]),
    message: syntaxSentence(code, message),
  }));
  const found =
    syntax.length > 0
      ? syntax
      : pitfallsOf(document).map(({ offset, message }) => ({ ...placeOf(offset), message }));
  if (found.length > 0) return { misread: found.slice(0, MOST_PROBLEMS) };
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  return {
    yaml: {
      value,
      place(path, { atKey = false, within = 0 } = {}) {
        const { offset, node } = findIn(document, asWritten(value, path), atKey);
        const inside = within > 0 && isScalar(node) ? insideBlock(text, node, within) : null;
        return inside === null
          ? placeOf(offset)
          : { line: placeOf(offset).line + inside.line, column: inside.column };
      },
      written(path) {
        const { node } = findIn(document, path, false);
        if (!isScalar(node)) return null;
        return typeof node.value === 'string' ? node.value : (node.source ?? null);
      },
      asWritten: (path) => asWritten(value, path),
    },
  };
}

function parsed(text: string): Document {
  return parseDocument(text, {
    prettyErrors: false,
    stringKeys: true,
    version: '1.2',
    schema: 'core',
    // "Keys with collection values" and the like are errors here, and nobody reads a process's warnings.
    logLevel: 'error',
  });
}

/** Definitions have half a dozen levels. */
const MOST_LEVELS = 50;

/**
 * Where a text goes too deep, before it is parsed: the parser calls itself for each level, and where the stack ends while V8
 * compiles a regular expression, the process ends with it ("RegExpCompiler Allocation failed", seen with 100,000 brackets).
 * The tokens are read in a loop.
 */
function tooDeepAt(text: string, lines: LineCounter): number | null {
  const parser = new Parser((offset) => lines.addNewLine(offset));
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > MOST_LEVELS) return parser.offset;
  }
  return null;
}

interface Pitfall {
  readonly offset: number;
  readonly message: string;
}

function pitfallsOf(document: Document): Pitfall[] {
  const found: Pitfall[] = [];
  const add = (node: { range?: Range | null | undefined }, message: string) =>
    found.push({ offset: node.range?.[0] ?? 0, message });
  if (document.directives?.yaml.version !== '1.2')
    found.push({
      offset: 0,
      message: 'Files are read as YAML 1.2. Remove the line that begins with %YAML.',
    });
  visit(document, {
    Alias: (_, node) =>
      add(node, `Files have no aliases. Write what &${node.source} stands for once more.`),
    Scalar: (_, node) => {
      const message = scalarPitfall(node);
      if (message !== null) add(node, message);
    },
  });
  return found;
}

function scalarPitfall({ value, source = '', type }: Scalar): string | null {
  if (typeof value === 'string')
    return value.includes('\u0000') || !value.isWellFormed()
      ? 'This text holds a NUL character or half of a surrogate pair, which no database keeps. Remove it.'
      : null;
  if (typeof value !== 'number' || type !== 'PLAIN') return null;
  if (/^[-+]?0\d/.test(source))
    return `YAML reads ${source} as the number ${value}. Write "${source}" in quotes for a text, ${value} for the number.`;
  if (!Number.isFinite(value)) return `${source} is no number to work with. Write one with digits.`;
  const digits = source.replace(/^[-+]|\.|e.*$/gi, '').replace(/^0+/, '');
  return digits.length > 15 && !Number.isSafeInteger(value)
    ? `${source} has more digits than a number keeps. Write "${source}" in quotes.`
    : null;
}

function asWritten(value: unknown, path: FilePath): FilePath {
  let at = value;
  return path.filter((step) => {
    if (step === 0 && at !== undefined && !Array.isArray(at)) return false;
    at = typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined;
    return true;
  });
}

/** As far as the path leads. The node only where it leads to one. */
function findIn(
  document: Document,
  path: FilePath,
  atKey: boolean,
): { readonly offset: number; readonly node: unknown } {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, step] of path.entries()) {
    const next = stepInto(node, step);
    if (next === null) return { offset, node: null };
    offset = next.keyOffset ?? offset;
    node = next.value;
    if (index === path.length - 1 && !atKey) return { offset: next.valueOffset ?? offset, node };
  }
  return { offset, node: null };
}

/** Which line below the `|`, counted from 1, and which column of the file. */
function insideBlock(text: string, { type, value, range }: Scalar, within: number): Place | null {
  if (type !== 'BLOCK_LITERAL' || typeof value !== 'string') return null;
  const before = value.slice(0, within).split('\n');
  const [, ...lines] = text.slice(range?.[0]).split(/\r?\n/);
  const indent = /^ */.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  return { line: before.length, column: indent + (before.at(-1)?.length ?? 0) + 1 };
}

interface Stepped {
  readonly keyOffset: number | null;
  /** Null where nothing was written after the colon. */
  readonly valueOffset: number | null;
  readonly value: unknown;
}

function stepInto(node: unknown, step: string | number): Stepped | null {
  if (isSeq(node) && typeof step === 'number') {
    const value = node.items[step];
    if (value === undefined) return null;
    return { keyOffset: startOf(value), valueOffset: startOf(value), value };
  }
  if (!isMap(node)) return null;
  const pair = node.items.find(
    (each) => isPair(each) && isScalar(each.key) && String(each.key.value) === String(step),
  );
  if (pair === undefined) return null;
  const isWritten = !(isScalar(pair.value) && pair.value.source === '');
  return {
    keyOffset: startOf(pair.key),
    valueOffset: isWritten ? startOf(pair.value) : null,
    value: pair.value,
  };
}

function startOf(node: unknown): number | null {
  return (isNode(node) ? node.range?.[0] : null) ?? null;
}
