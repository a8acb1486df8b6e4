import { decode } from '../../xml/text.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { attribute } from '../../xml/tokens.ts';
import { type Node, element, mapChildren, text, withChildren } from './tree.ts';

/** One of Word's fields: an instruction, and what it showed last. Fields may stand in fields. */
export interface Field {
  /** `w:fldChar` elements: begin, separate if there is a result, end. */
  readonly marks: readonly Token[];
  /** The text tokens of its instruction, in order. */
  readonly instruction: readonly Token[];
  readonly separate: Token | undefined;
  readonly end: Token | undefined;
  /** The first word of the instruction. */
  readonly name: string;
  /** Another field stands inside the instruction before its first word has ended. */
  readonly computedName: boolean;
  /** Whether the field stands in another field's instruction. */
  readonly inInstruction: boolean;
}

interface OpenField {
  readonly marks: Token[];
  readonly instruction: Token[];
  separate: Token | undefined;
  end: Token | undefined;
  /** Unknown until another field stands in the instruction. */
  computedName: boolean | undefined;
  readonly inInstruction: boolean;
}

/** Reads the fields of a part in which `expandSimpleFields` has left one form of them. */
export function readFields(tokens: readonly Token[]): {
  readonly fields: readonly Field[];
  /** Instructions outside of every field: they mean nothing to Word, and nothing good to others. */
  readonly strayInstructions: readonly Token[];
} {
  const open: OpenField[] = [];
  const fields: Field[] = [];
  const strayInstructions: Token[] = [];
  const finish = (field: OpenField) =>
    fields.push({
      ...field,
      computedName: field.computedName ?? false,
      name: firstWord(textOf(field)),
    });
  for (const token of tokens) {
    const around = open.at(-1);
    if (token.name === 'w:fldChar' && token.kind !== 'close') {
      const type = attribute(token, 'w:fldCharType');
      if (type === 'begin') {
        const inInstruction = around !== undefined && around.separate === undefined;
        // Asked once: a field of many fields would have its words joined for each of them.
        if (around && inInstruction) around.computedName ??= !/^\s*\S+\s/.test(textOf(around));
        open.push({
          marks: [token],
          instruction: [],
          separate: undefined,
          end: undefined,
          computedName: undefined,
          inInstruction,
        });
      } else if (around) {
        around.marks.push(token);
        if (type === 'separate') around.separate = token;
        if (type === 'end') {
          around.end = token;
          open.pop();
          finish(around);
        }
      }
    } else if (token.kind === 'text' && tokens[token.parent]?.name === 'w:instrText') {
      if (around) around.instruction.push(token);
      else strayInstructions.push(token);
    }
  }
  for (const field of open) finish(field);
  return { fields, strayInstructions };
}

export function textOf({ instruction }: Pick<Field, 'instruction'>): string {
  return instruction.map(({ raw }) => decode(raw)).join('');
}

function firstWord(instruction: string): string {
  return /^[\s"\u201c\u201d]*([^\s"\u201c\u201d\\]*)/.exec(instruction)?.[1] ?? '';
}

export const SIMPLE_FIELD = 'w:fldSimple';

/** `w:fldSimple` says in one element what marks and an instruction say in runs: one form is enough for all steps. */
export function expandSimpleFields(root: Node): Node {
  return [expanded(root)].flat()[0] ?? root;
}

function expanded(node: Node): Node | readonly Node[] {
  const children = mapChildren(node, expanded);
  if (node.name !== SIMPLE_FIELD) return withChildren(node, children);
  const instruction = / w:instr=(?:"([^"]*)"|'([^']*)')/.exec(node.raw);
  const flags = [...node.raw.matchAll(/ w:(?:fldLock|dirty)=(?:"[^"]*"|'[^']*')/g)];
  const mark = (type: string, attributes = '') =>
    element('w:r', [element('w:fldChar', [], ` w:fldCharType="${type}"${attributes}`)]);
  return [
    mark('begin', flags.map(([flag]) => flag).join('')),
    element('w:r', [
      element(
        'w:instrText',
        [text(instruction?.[1] ?? instruction?.[2] ?? '')],
        ' xml:space="preserve"',
      ),
    ]),
    mark('separate'),
    ...children.filter(({ name }) => name !== 'w:fldData'),
    mark('end'),
  ];
}
