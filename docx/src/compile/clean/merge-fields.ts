import { keysOfColumn } from '../../paths.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { escapeText } from '../../xml/text.ts';
import type { Expression } from '../tags/expression.ts';
import { namedPath } from '../tags/path.ts';
import { type Field, readFields, textOf } from './fields.ts';
import { type MergeField, conditionOf } from './if-fields.ts';
import { type Switched, switched } from './switches.ts';
import { type Written, numbered } from './tree.ts';

export interface MergeFields {
  readonly tokens: readonly Token[];
  /** The texts that stand where Word's own merge fields stood, and what they print. */
  readonly values: ReadonlyMap<Token, Expression>;
  /** The same texts, and what of their fields' switches is not followed. */
  readonly notes: ReadonlyMap<Token, FieldNote>;
}

export interface FieldNote {
  readonly instruction: string;
  readonly sentences: readonly string[];
}

/**
 * Word's own mail merge: `MERGEFIELD Name` prints the value at `Name` as its switches say, in the looks of what the field
 * showed. An `IF` becomes a condition of ours.
 */
export function readMergeFields(tokens: readonly Token[]): MergeFields {
  const values = new Map<Token, Expression>();
  const notes = new Map<Token, FieldNote>();
  const mergeFields = new Map<Token, MergeField>();
  const noted = new Map<Token, FieldNote>();
  const begins = new Map<Token, { field: Field; text: string; value: Expression | undefined }>();
  // Inner fields come first: an IF finds those of its instruction.
  for (const field of readFields(tokens).fields) {
    const begin = field.marks[0];
    if (!begin || !field.end) continue;
    const read = valueOf(field);
    const value = read?.value;
    if (read && read.notes.length > 0)
      noted.set(begin, { instruction: textOf(field), sentences: read.notes });
    if (value) mergeFields.set(begin, { field, value });
    if (field.inInstruction) continue;
    const text = value ? shown(value) : conditionOf(tokens, field, mergeFields);
    if (text !== undefined) begins.set(begin, { field, text, value });
  }
  if (begins.size === 0) return { tokens, values, notes };
  const written: Written[] = [];
  const at = new Map<number, Expression>();
  const notesAt = new Map<number, FieldNote>();
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    const found = token && begins.get(token);
    if (!token) break;
    if (!found) {
      written.push(token);
      continue;
    }
    const { field, text, value } = found;
    for (const kept of replaced(tokens, field)) {
      if (kept === field) {
        written.push({ kind: 'open', name: 'w:t', raw: '<w:t xml:space="preserve">' });
        if (value) at.set(written.length, value);
        // Instructions of the fields in an IF too.
        const inside = noted.size === 0 ? [] : tokens.slice(i, field.end?.index);
        const note = inside.map((one) => noted.get(one)).find((one) => one !== undefined);
        if (note) notesAt.set(written.length, note);
        written.push({ kind: 'text', name: '', raw: escapeText(text) });
        written.push({ kind: 'close', name: 'w:t', raw: '</w:t>' });
      } else if (isToken(kept)) written.push(kept);
    }
    i = field.end?.match ?? i;
  }
  const result = numbered(written);
  for (const [index, value] of at) {
    const token = result[index];
    if (token) values.set(token, value);
  }
  for (const [index, note] of notesAt) {
    const token = result[index];
    if (token) notes.set(token, note);
  }
  return { tokens: result, values, notes };
}

function isToken(kept: Token | Field): kept is Token {
  return 'raw' in kept;
}

/** The runs of a field without what was in them. The field itself stands where its value is to stand. */
function replaced(tokens: readonly Token[], field: Field): (Token | Field)[] {
  const kept: (Token | Field)[] = [];
  const end = field.end;
  let stands = false;
  for (let i = field.marks[0]?.index ?? 0; i <= (end?.match ?? -1); i++) {
    const token = tokens[i];
    if (!token) break;
    if (!isContentOfRun(tokens, token)) {
      kept.push(token);
      continue;
    }
    const inResult = field.separate !== undefined && token.index > field.separate.index;
    if (!stands && (token === end || (inResult && token.name === 'w:t'))) {
      kept.push(field);
      stands = true;
    }
    i = token.match;
  }
  return kept;
}

function isContentOfRun(tokens: readonly Token[], token: Token): boolean {
  if (token.kind === 'close' || token.kind === 'text' || token.name === 'w:rPr') return false;
  return tokens[token.parent]?.name === 'w:r';
}

const MERGEFIELD = /^\s*MERGEFIELD\s+(?:"([^"]+)"|\u201c([^\u201d]+)\u201d|([^\s"\\]+))([^]*)$/i;

function valueOf(field: Field): Switched | undefined {
  const match = MERGEFIELD.exec(textOf(field));
  const name = (match?.[1] ?? match?.[2] ?? match?.[3])?.trim();
  if (name === undefined || name === '' || name.includes('{')) return undefined;
  return switched(namedPath(name, keysOfColumn(name)), match?.[4] ?? '');
}

function shown(value: Expression): string {
  if (value.kind === 'path') return `\u00ab${value.text}\u00bb`;
  const inner = value.kind === 'call' ? value.args[0] : undefined;
  return inner ? shown(inner) : '';
}
