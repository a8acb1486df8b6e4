import { OWN, SourceError, badSql } from '../errors.ts';
import { checkSelect } from './select.ts';
import { type Token, tokensOf } from './tokens.ts';

export interface BoundSql {
  readonly text: string;
  /** The names that the SQL uses, each once, in the order in which they come. */
  readonly names: string[];
  /** The place in the SQL as it was written, of a place in `text` that an error names by its `position`. */
  originalOffset(offset: number): number;
}

/**
 * Puts for each `:name` the text that reads its value from the session (`Reading.set`): `(current_setting('rp.name')::type)`,
 * or `(NULL::type)`. No value is ever part of a text, so the text is the same for all values.
 *
 * Brackets, since `:n[1]` would name an array type without them, and `:n month` a kind of interval. A semicolon at the end
 * is left out. SQL that is not one whole SELECT is refused here already.
 */
export function bindNames(
  sql: string,
  types: Readonly<Record<string, string>>,
  isNull: (name: string) => boolean,
): BoundSql {
  const tokens = withoutLastSemicolon(tokensOf(sql));
  checkSelect(tokens);
  const names = new Set<string>();
  const replaced: Replaced[] = [];
  let text = '';
  let done = 0;
  for (const token of tokens) {
    if (token.kind !== 'parameter') continue;
    names.add(token.text);
    text += sql.slice(done, token.from);
    const from = text.length;
    text += readingOf(token.text, typeOf(token, types), isNull);
    replaced.push({ from, to: text.length, original: token });
    done = token.to;
  }
  text += sql.slice(done, tokens.at(-1)?.to);
  return {
    text,
    names: [...names],
    originalOffset(offset) {
      const before = replaced.findLast(({ from }) => from <= offset);
      if (before === undefined) return offset;
      const { to, original } = before;
      return offset < to ? original.from : offset - to + original.to;
    },
  };
}

interface Replaced {
  readonly from: number;
  readonly to: number;
  readonly original: Token;
}

/** The custom setting that a value is kept in. Postgres reads its name without regard to case. */
export function settingOf(name: string): string {
  if (NAME.test(name)) return `rp.${name}`;
  throw new SourceError(
    `"${name}" is no name of a value: letters, digits and _ only, 40 of them at most.`,
    { code: OWN.badValue, retryable: false },
  );
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/;
/** As in `date`, `numeric(10,2)`, `double precision`, `int[]`. */
const TYPE = /^[A-Za-z_][A-Za-z0-9_]*( [A-Za-z]+)*(\(\d+(, ?\d+)?\))?(\[\])?$/;

function readingOf(name: string, type: string, isNull: (name: string) => boolean): string {
  return isNull(name) ? `(NULL::${type})` : `(current_setting('${settingOf(name)}')::${type})`;
}

function typeOf({ text: name, from }: Token, types: Readonly<Record<string, string>>): string {
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (type === undefined) {
    const known = Object.keys(types).map((each) => `:${each}`);
    throw badSql(
      `There is no parameter :${name}. ${known.length === 0 ? 'None is declared.' : `Declared are ${known.join(', ')}.`}`,
      from,
    );
  }
  if (!TYPE.test(type))
    throw badSql(`"${type}", the type of :${name}, is no name of a type.`, from);
  return type;
}

function withoutLastSemicolon(tokens: readonly Token[]): readonly Token[] {
  return tokens.at(-1)?.kind === 'end' ? tokens.slice(0, -1) : tokens;
}

/** For people: lines and columns from 1, columns in characters. */
export function placeAt(sql: string, offset: number): { line: number; column: number } {
  const before = sql.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: Array.from(before.at(-1) ?? '').length + 1 };
}
