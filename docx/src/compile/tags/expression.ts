import { HELPERS } from '../../helpers/names.ts';
import { nearest } from '../../shape.ts';
import { adviceOn } from './advice.ts';
import { checkCall } from './checks.ts';
import { type PathExpression, parsePath } from './path.ts';
import { TagSyntaxError } from './tag-error.ts';

export type { PathExpression } from './path.ts';

/** The expression of a tag. Paths are looked up in the data, calls are helpers: there is nothing else. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | PathExpression
  | CallExpression;

export interface CallExpression {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Expression[];
  readonly named: ReadonlyMap<string, Expression>;
}

/** Where a block repeats, when the author says so: `{{#each Months by=column}}`. */
export type Level = 'inline' | 'paragraph' | 'row' | 'column';
const LEVELS: readonly string[] = ['inline', 'paragraph', 'row', 'column'];

export type BlockName = 'each' | 'if' | 'unless';

export type Parsed =
  | { readonly kind: 'value'; readonly value: Expression }
  | {
      readonly kind: 'open';
      readonly block: BlockName;
      readonly value: Expression;
      readonly level: Level | undefined;
    }
  | { readonly kind: 'else'; readonly test: Expression | undefined }
  | { readonly kind: 'close'; readonly block: BlockName }
  | { readonly kind: 'comment' };

const NESTING = 16;
const BLOCKS: readonly string[] = ['each', 'if', 'unless'];

/** Reads what stands between the braces. Word's curly quotes and hard spaces count as plain ones. */
export function parseTag(source: string): Parsed {
  const text = source.replace(/[\u200b-\u200d\u2060\ufeff\u00ad]/g, '').trim();
  try {
    return readTag(text);
  } catch (error) {
    if (!(error instanceof TagSyntaxError)) throw error;
    if (error.isAdvice) throw error;
    throw new TagSyntaxError(adviceOn(text) ?? error.message, error.code);
  }
}

/** The block that a tag that cannot be read would open: its closer is no mistake. */
export function openedBy(source: string): Parsed | undefined {
  const [, name = '', list = ''] = /^\s*#\s*(\S+)\s+(?:\S+\s+in\s+)?(\S+)/u.exec(source) ?? [];
  if (!isBlock(name)) return undefined;
  try {
    return { kind: 'open', block: name, value: parsePath(list), level: undefined };
  } catch {
    return { kind: 'open', block: name, value: parsePath('this'), level: undefined };
  }
}

/** Words of other languages that would be taken for fields. One of that name is written in brackets. */
const NO_FIELD = /^(?:else|elseif|elsif|elif|end-?(?:if|for|each|foreach|unless))$/i;

function readTag(text: string): Parsed {
  if (text === '') throw new TagSyntaxError('The tag is empty.');
  if (text.startsWith('!')) return { kind: 'comment' };
  if (text.startsWith('#') || text.startsWith('^')) return parseOpen(text);
  if (text.startsWith('/')) {
    const name = text.slice(1).trim().split(/\s/u)[0] ?? '';
    if (!isBlock(name))
      throw new TagSyntaxError(`"{{/${name}}}" closes no known block. ${KNOWN_BLOCKS}`);
    return { kind: 'close', block: name };
  }
  const words = lex(text);
  if (isWord(words[0], 'else')) {
    if (words.length === 1) return { kind: 'else', test: undefined };
    if (!isWord(words[1], 'if')) throw new TagSyntaxError('Write {{else}} or {{else if …}}.');
    return { kind: 'else', test: parseWords(words.slice(2)).value };
  }
  const { value, level } = parseWords(words);
  if (level) throw new TagSyntaxError('"by=" belongs to {{#each}}, {{#if}} and {{#unless}}.');
  if (value.kind === 'literal' || (value.kind === 'path' && NO_FIELD.test(value.text)))
    throw new TagSyntaxError(`"${text}" is no field.`);
  return { kind: 'value', value };
}

const KNOWN_BLOCKS = 'Blocks are {{#each}}, {{#if}} and {{#unless}}.';

function isBlock(name: string): name is BlockName {
  return BLOCKS.includes(name);
}

function parseOpen(text: string): Parsed {
  const words = lex(text.slice(1));
  const first = words[0];
  const name = first?.kind === 'word' ? first.text : '';
  if (!isBlock(name) || text.startsWith('^')) {
    throw new TagSyntaxError(
      `"{{${text}}}" opens no known block. Write {{#each ${name}}} or {{#if ${name}}}.`,
    );
  }
  if (words.length < 2)
    throw new TagSyntaxError(`{{#${name}}} needs a field, as in {{#${name} Lines}}.`);
  const { value, level } = parseWords(words.slice(1));
  refuseDrawing(value);
  if (name === 'each' && value.kind !== 'path') {
    throw new TagSyntaxError('{{#each}} takes the path of a list, as in {{#each Order.Lines}}.');
  }
  return { kind: 'open', block: name, value, level };
}

type Word =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: '(' | ')' | '=' };

function isWord(word: Word | undefined, text: string): boolean {
  return word?.kind === 'word' && word.text === text;
}

const DOUBLE = '"\u201c\u201d\u201e\u201f\u00ab\u00bb';
const SINGLE = "'\u2018\u2019\u201a\u201b";

function lex(text: string): Word[] {
  const words: Word[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    const quotes = DOUBLE.includes(char) ? DOUBLE : SINGLE.includes(char) ? SINGLE : undefined;
    if (/\s/u.test(char)) at++;
    else if (char === '(' || char === ')' || char === '=') {
      words.push({ kind: char });
      at++;
    } else if (quotes !== undefined) {
      let end = at + 1;
      while (end < text.length && !quotes.includes(text.charAt(end))) end++;
      if (end === text.length)
        throw new TagSyntaxError(`The text after ${char} has no closing quote.`);
      words.push({ kind: 'string', text: text.slice(at + 1, end) });
      at = end + 1;
    } else {
      const end = endOfWord(text, at);
      words.push({ kind: 'word', text: text.slice(at, end).replace(/\s+/gu, ' ') });
      at = end;
    }
  }
  return words;
}

/** Between square brackets everything belongs to the name: `Customer.[First Name]`. */
function endOfWord(text: string, start: number): number {
  let end = start;
  while (end < text.length && !/[\s()=]/u.test(text.charAt(end))) {
    if (text.charAt(end) === '[') {
      end = text.indexOf(']', end);
      if (end === -1) throw new TagSyntaxError('A "[" is not closed.');
    }
    end++;
  }
  return end;
}

/** The words of one tag, or of one pair of brackets. */
function parseWords(words: readonly Word[]): { value: Expression; level: Level | undefined } {
  const reader = { words, at: 0 };
  const { items, named } = readItems(reader, 0);
  if (reader.at < words.length) throw new TagSyntaxError('There is a ")" too many.');
  const by = named.get('by');
  named.delete('by');
  let level: Level | undefined;
  if (by !== undefined) {
    const word = by.kind === 'path' ? by.text : by.kind === 'literal' ? String(by.value) : '';
    if (!LEVELS.includes(word)) throw new TagSyntaxError(`"by=" is one of ${LEVELS.join(', ')}.`);
    level = word as Level;
  }
  return { value: combine(items, named), level };
}

type Item = Expression | { readonly kind: 'name'; readonly text: string };

function readItems(
  reader: { words: readonly Word[]; at: number },
  depth: number,
): { items: Item[]; named: Map<string, Expression> } {
  if (depth > NESTING) throw new TagSyntaxError('Brackets are nested too deep.');
  const items: Item[] = [];
  const named = new Map<string, Expression>();
  for (let word = reader.words[reader.at]; word !== undefined; word = reader.words[reader.at]) {
    if (word.kind === ')') break;
    reader.at++;
    if (word.kind === '=') throw new TagSyntaxError('There is a "=" without a name before it.');
    if (word.kind === 'word' && reader.words[reader.at]?.kind === '=') {
      reader.at++;
      const next = reader.words[reader.at++];
      if (next === undefined) throw new TagSyntaxError(`"${word.text}=" has no value.`);
      named.set(word.text, settle(readOne(next, reader, depth)));
    } else items.push(readOne(word, reader, depth));
  }
  return { items, named };
}

function readOne(word: Word, reader: { words: readonly Word[]; at: number }, depth: number): Item {
  if (word.kind === 'string') return { kind: 'literal', value: word.text };
  if (word.kind === 'word') return { kind: 'name', text: word.text };
  if (word.kind !== '(')
    throw new TagSyntaxError(`There is a "${word.kind}" where a value belongs.`);
  const { items, named } = readItems(reader, depth + 1);
  if (reader.words[reader.at]?.kind !== ')') throw new TagSyntaxError('A "(" is not closed.');
  reader.at++;
  return combine(items, named);
}

/** One word is a path; a word with others after it is a helper. */
function combine(items: readonly Item[], named: ReadonlyMap<string, Expression>): Expression {
  const [first, ...rest] = items;
  if (first === undefined) throw new TagSyntaxError('A value is missing.');
  if (rest.length === 0 && named.size === 0) {
    if (first.kind === 'name' && first.text === 'pageBreak') {
      return { kind: 'call', name: 'pageBreak', args: [], named };
    }
    return settle(first);
  }
  if (first.kind !== 'name')
    throw new TagSyntaxError('A tag with several words starts with a helper.');
  const helper = HELPERS.get(first.text);
  if (helper === undefined) {
    const near = nearest(first.text, [...HELPERS.keys()]);
    const did = near === undefined ? '' : ` Did you mean "${near}"?`;
    throw new TagSyntaxError(
      `"${first.text}" is no helper.${did} Helpers are ${[...HELPERS.keys()].join(', ')}.`,
      'unknown_helper',
    );
  }
  if (rest.length < helper.min || rest.length > helper.max) {
    throw new TagSyntaxError(`Write it as ${helper.usage}.`);
  }
  for (const name of named.keys()) {
    if (!helper.named.includes(name)) {
      throw new TagSyntaxError(
        `"${first.text}" has no option "${name}". Write it as ${helper.usage}.`,
      );
    }
  }
  const args = rest.map(settle);
  for (const inner of [...args, ...named.values()]) refuseDrawing(inner);
  const call: CallExpression = { kind: 'call', name: first.text, args, named };
  checkCall(call);
  return call;
}

export function drawsMore(value: Expression): boolean {
  return value.kind === 'call' && HELPERS.get(value.name)?.draws === true;
}

/** An image has no value that another helper or a condition could use. */
function refuseDrawing(value: Expression): void {
  if (value.kind === 'call' && drawsMore(value)) {
    throw new TagSyntaxError(`"${value.name}" stands alone in its tag, not inside another one.`);
  }
}

function settle(item: Item): Expression {
  return item.kind === 'name' ? wordValue(item.text) : item;
}

const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function wordValue(word: string): Expression {
  const known = LITERALS.get(word);
  if (known !== undefined) return { kind: 'literal', value: known };
  if (/^-?\d+(?:\.\d+)?$/.test(word)) return { kind: 'literal', value: Number(word) };
  // A length such as 4cm, for width= and its like.
  if (/^\d+(?:\.\d+)?(?:cm|mm|in|pt|px|%)$/.test(word)) return { kind: 'literal', value: word };
  return parsePath(word);
}
