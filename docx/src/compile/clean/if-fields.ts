import { decode } from '../../xml/text.ts';
import type { Token } from '../../xml/tokenizer.ts';
import type { Expression } from '../tags/expression.ts';
import type { Field } from './fields.ts';
import { WORD_HELPERS } from './switches.ts';

export interface MergeField {
  readonly field: Field;
  readonly value: Expression;
}

/**
 * Word's IF as letters have it: a merge field or a tag is compared with a text, and one of two texts is shown. It becomes
 * a condition of ours, in place: `{ IF { MERGEFIELD g } = "m" "Herr" "Frau" }` is
 * `{{#if eq g "m"}}Herr{{else}}Frau{{/if}}`. Undefined for every other IF, which lint names.
 */
export function conditionOf(
  tokens: readonly Token[],
  field: Field,
  mergeFields: ReadonlyMap<Token, MergeField>,
): string | undefined {
  if (!/^IF$/i.test(field.name) || field.computedName || !field.end) return undefined;
  const values: Expression[] = [];
  const instruction = instructionOf(tokens, field, mergeFields, values);
  const words = instruction === undefined ? [] : wordsOf(instruction);
  const [, left = '', sign = '', right = '', yes, no = '', ...more] = words;
  if (yes === undefined || more.length > 0) return undefined;
  const test = testOf(pathIn(left, values), sign, right);
  const [first, second] = [withTags(yes, values), withTags(no, values)];
  if (test === undefined || first === undefined || second === undefined) return undefined;
  return `{{#if ${test} by=inline}}${first}{{else}}${second}{{/if}}`;
}

/** A merge field's place in an instruction, with its number: characters that no XML has. */
const PLACE = /\ufffe(\d+)\uffff/g;
const WITHOUT_WORDS = /^w:(?:r|instrText|bookmarkStart|bookmarkEnd)$/;

/** The instruction with numbers for its merge fields; undefined when there is anything but words in it. */
function instructionOf(
  tokens: readonly Token[],
  { marks: [begin], separate, end }: Field,
  mergeFields: ReadonlyMap<Token, MergeField>,
  values: Expression[],
): string | undefined {
  let text = '';
  const stop = (separate ?? end)?.index ?? 0;
  for (let i = (begin?.match ?? stop) + 1; i < stop; i++) {
    const token = tokens[i];
    if (!token) return undefined;
    if (token.kind === 'text') text += decode(token.raw);
    else if (token.name === 'w:rPr') i = token.match;
    else if (token.name === 'w:fldChar') {
      const inner = mergeFields.get(token);
      if (!inner) return undefined;
      text += `\ufffe${values.push(inner.value) - 1}\uffff`;
      i = inner.field.end?.match ?? i;
    } else if (!WITHOUT_WORDS.test(token.name)) return undefined;
  }
  return text;
}

const WORD =
  /\s*(?:["\u201c\u201d]([^"\u201c\u201d]*)["\u201c\u201d]|(<>|[<>]=|[<>=])|(\{\{[^{}]*\}\}|[^\s"\u201c\u201d\\<>={}]+))/y;
/** How the result keeps its looks. */
const SWITCHES = /^(?:\s*\\\*\s*\w+)*\s*$/;

/** The words of an instruction; none when it has switches that change what is shown. */
function wordsOf(instruction: string): string[] {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    WORD.lastIndex = at;
    const match = WORD.exec(instruction);
    if (match === null) break;
    words.push(match[1] ?? match[2] ?? match[3] ?? '');
    at = WORD.lastIndex;
  }
  return SWITCHES.test(instruction.slice(at)) ? words : [];
}

const TAGGED_PATH = /^\s*\{\{\s*((?:[^{}[\]\s"'()#/!^]|\[[^\]{}]*\])+)\s*\}\}\s*$/;

function pathIn(word: string, values: readonly Expression[]): string | undefined {
  const tagged = TAGGED_PATH.exec(word)?.[1];
  if (tagged !== undefined) return tagged;
  const place = /^\s*\ufffe(\d+)\uffff\s*$/.exec(word)?.[1];
  const value = place === undefined ? undefined : values[Number(place)];
  return value?.kind === 'path' ? inTag(value) : undefined;
}

const COMPARING: Readonly<Record<string, string>> = {
  '=': 'eq',
  '<>': 'ne',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};

function testOf(path: string | undefined, sign: string, other: string): string | undefined {
  const helper = COMPARING[sign];
  // An asterisk or a question mark stands for other letters there.
  if (helper === undefined || path === undefined || /[*?\\{}\ufffe]/.test(other)) return undefined;
  if (helper === 'eq' || helper === 'ne') {
    // A field that the data lacks is empty to Word.
    return `${helper} ${other === '' ? `(default ${path} "")` : path} "${other}"`;
  }
  return /^-?\d+(?:\.\d+)?$/.test(other) ? `${helper} ${path} ${other}` : undefined;
}

/** The text with tags where its merge fields stood. */
function withTags(text: string, values: readonly Expression[]): string | undefined {
  let whole = !text.includes('\\');
  const tagged = text.replace(PLACE, (_, place: string) => {
    const value = values[Number(place)];
    const tag = value && inTag(value);
    whole &&= tag !== undefined;
    return `{{${tag ?? ''}}}`;
  });
  return whole ? tagged : undefined;
}

/** The field of a MERGEFIELD as a tag writes it. Names stand in brackets: one could be `this`. */
function inTag(value: Expression): string | undefined {
  if (value.kind === 'path') {
    const { keys } = value;
    const isSafe = keys.length > 0 && keys.every((key) => /^[^[\]{}"'\s][^[\]{}]*$/.test(key));
    return isSafe ? keys.map((key) => `[${key}]`).join('.') : undefined;
  }
  if (value.kind === 'literal') {
    return typeof value.value === 'string' && !/["{}\u201c\u201d]/.test(value.value)
      ? `"${value.value}"`
      : undefined;
  }
  const name = value.name === 'wordDate' ? 'date' : value.name;
  if (WORD_HELPERS.includes(name)) return undefined;
  const args = value.args.map((arg) => (arg.kind === 'call' ? bracketed(inTag(arg)) : inTag(arg)));
  return args.includes(undefined) ? undefined : [name, ...args].join(' ');
}

function bracketed(call: string | undefined): string | undefined {
  return call && `(${call})`;
}
