import type { Token } from '../../xml/tokenizer.ts';
import { decode, escapeText } from '../../xml/text.ts';
import { type Field, readFields, textOf } from './fields.ts';
import { type Written, numbered } from './tree.ts';

/** Word's fields that read other files or talk to other programs. Their last result stays as text. */
const REFUSED = /^(?:INCLUDE\w*|LINK|DDE\w*|IMPORT|RD|DATABASE|EMBED|MACROBUTTON)$/i;

/** Leaves out the fields that reach outside. */
export function dropOutsideFields(
  tokens: readonly Token[],
  onStripped: (name: string) => void,
): Token[] {
  const gone = new Set<Token>();
  const replaced = new Map<Token, Written>();
  const drop = (from: Token) => {
    for (let i = from.index; i <= from.match; i++) {
      const token = tokens[i];
      if (token) gone.add(token);
    }
  };
  const { fields, strayInstructions } = readFields(tokens);
  for (const field of fields) {
    if (!isRefused(field)) continue;
    onStripped(field.name);
    for (const mark of field.marks) drop(mark);
    const shown = wordsOfButton(field);
    for (const text of field.instruction) {
      const instruction = tokens[text.parent];
      const words = shown.get(text);
      if (instruction && words === undefined) drop(instruction);
      else if (instruction) {
        replaced.set(instruction, { ...TEXT, kind: 'open', raw: '<w:t xml:space="preserve">' });
        replaced.set(text, { ...text, raw: escapeText(words ?? '') });
        const close = tokens[instruction.match];
        if (close) replaced.set(close, { ...TEXT, kind: 'close', raw: '</w:t>' });
      }
    }
  }
  for (const text of strayInstructions) gone.add(text);
  if (gone.size === 0) return [...tokens];
  const left = tokens.filter((token) => !gone.has(token));
  return numbered(left.map((token) => replaced.get(token) ?? token));
}

const TEXT = { name: 'w:t' } as const;

/** `MACROBUTTON NoMacro [Click here]` shows the words after its macro's name: what each text of it keeps of them. */
function wordsOfButton(field: Field): ReadonlyMap<Token, string> {
  const words = new Map<Token, string>();
  if (!/^MACROBUTTON$/i.test(field.name) || field.separate) return words;
  let head = /^\s*MACROBUTTON\s+\S+\s?/i.exec(textOf(field))?.[0].length ?? Infinity;
  for (const text of field.instruction) {
    const whole = decode(text.raw);
    if (whole.length > head) words.set(text, whole.slice(head));
    head = Math.max(0, head - whole.length);
  }
  return words;
}

/** A name that a tag or another field would fill in could become any of them. */
function isRefused({ name, computedName }: Field): boolean {
  return computedName || REFUSED.test(name) || name.includes('{');
}
