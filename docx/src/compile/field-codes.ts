import type { Token } from '../xml/tokenizer.ts';
import { type Field, readFields } from './fields.ts';
import { numbered } from './tree.ts';

/** Word's fields that read other files or talk to other programs. Their last result stays as text. */
const REFUSED = /^(?:INCLUDE\w*|LINK|DDE\w*|IMPORT|RD|DATABASE|EMBED|MACROBUTTON)$/i;

/** Leaves out the fields that reach outside. */
export function dropOutsideFields(
  tokens: readonly Token[],
  onStripped: (name: string) => void,
): Token[] {
  const gone = new Set<Token>();
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
    for (const { parent } of field.instruction) {
      const instruction = tokens[parent];
      if (instruction) drop(instruction);
    }
  }
  for (const text of strayInstructions) gone.add(text);
  return gone.size === 0 ? [...tokens] : numbered(tokens.filter((token) => !gone.has(token)));
}

/** A name that a tag or another field would fill in could become any of them. */
function isRefused({ name, computedName }: Field): boolean {
  return computedName || REFUSED.test(name) || name.includes('{');
}
