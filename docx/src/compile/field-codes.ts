import type { Token } from '../xml/tokenizer.ts';
import { decode } from '../xml/text.ts';
import { attribute, unwrapElement } from '../xml/tokens.ts';

/** Word's fields that read other files or talk to other programs. Their last result stays as text. */
const REFUSED = /^(?:INCLUDE\w*|LINK|DDE\w*|IMPORT|RD|DATABASE|EMBED|MACROBUTTON)$/i;

/** The text tokens of one field's instruction, in order. */
export type Instruction = readonly Token[];

interface OpenField {
  readonly marks: Token[];
  readonly texts: Token[];
  /** Whether the first field inside the instruction stands before its first word has ended. */
  computedName: boolean | undefined;
  separated: boolean;
}

/**
 * Takes out fields that reach outside (complex ones between `w:fldChar` marks, and `w:fldSimple`). Returns the
 * instructions of the others, since a tag may stand in them: `HYPERLINK "{{Url}}"`.
 */
export function stripFieldCodes(
  tokens: readonly Token[],
  onStripped: (name: string) => void,
): Instruction[] {
  const kept: Instruction[] = [];
  const open: OpenField[] = [];
  for (const token of tokens) {
    if (token.name === 'w:fldSimple' && token.kind === 'open') {
      const name = firstWord(attribute(token, 'w:instr') ?? '');
      if (isRefused(name)) {
        unwrapElement(tokens, token);
        onStripped(name);
      }
    } else if (token.name === 'w:fldChar' && token.kind !== 'close') {
      const type = attribute(token, 'w:fldCharType');
      const field = open.at(-1);
      if (type === 'begin') {
        // Asked once: a field of many fields would have its words joined for each of them.
        if (field && !field.separated) {
          field.computedName ??= !/^\s*\S+\s/.test(textOf(field));
        }
        open.push({ marks: [token], texts: [], computedName: undefined, separated: false });
      } else if (field) {
        field.marks.push(token);
        if (type === 'separate') field.separated = true;
        if (type === 'end') {
          open.pop();
          finish(tokens, field, kept, onStripped);
        }
      }
    } else if (token.kind === 'text' && isInstruction(tokens[token.parent])) {
      const field = open.at(-1);
      // An instruction outside of every field means nothing to Word, and nothing good to others.
      if (field) field.texts.push(token);
      else token.gone = true;
    }
  }
  for (const field of open) finish(tokens, field, kept, onStripped);
  return kept;
}

function isInstruction(parent: Token | undefined): boolean {
  return parent?.name === 'w:instrText' || parent?.name === 'w:delInstrText';
}

function finish(
  tokens: readonly Token[],
  field: OpenField,
  kept: Instruction[],
  onStripped: (name: string) => void,
): void {
  const name = firstWord(textOf(field));
  if (!field.computedName && !isRefused(name)) {
    if (field.texts.length > 0) kept.push(field.texts);
    return;
  }
  onStripped(name);
  for (const mark of field.marks) {
    unwrapElement(tokens, mark);
    for (let i = mark.index; i <= mark.match; i++) {
      const inner = tokens[i];
      if (inner) inner.gone = true;
    }
  }
  for (const text of field.texts) {
    text.gone = true;
    const element = tokens[text.parent];
    if (element) unwrapElement(tokens, element);
  }
}

function textOf(field: OpenField): string {
  return field.texts.map(({ raw }) => decode(raw)).join('');
}

function firstWord(instruction: string): string {
  return /^[\s"\u201c\u201d]*([^\s"\u201c\u201d\\]*)/.exec(instruction)?.[1] ?? '';
}

/** A name that a tag would fill in could become any of them. */
function isRefused(name: string): boolean {
  return REFUSED.test(name) || name.includes('{');
}
