import type { Token } from '../../xml/tokenizer.ts';
import { acceptChanges } from './changes.ts';
import { dropEditingMarks } from './editing-marks.ts';
import type { Expression } from '../tags/expression.ts';
import { dropOutsideFields } from './field-codes.ts';
import { type Field, expandSimpleFields, readFields } from './fields.ts';
import { type FieldNote, readMergeFields } from './merge-fields.ts';
import { dropHalfRanges } from './half-ranges.ts';
import { joinParagraphs } from './paragraph-marks.ts';
import { tokensOf, treeOf } from './tree.ts';

/**
 * A part as its reader sees it: no white space between elements, no tracked changes, no notes of the author, no
 * field that reaches outside. No later step changes its tokens.
 */
export interface CleanPart {
  readonly name: string;
  readonly tokens: readonly Token[];
  readonly fields: readonly Field[];
  /** Texts that print a value because Word's own MERGEFIELD stood there. */
  readonly mergeFields: ReadonlyMap<Token, Expression>;
  /** What of their switches is not followed. */
  readonly fieldNotes: ReadonlyMap<Token, FieldNote>;
}

export function clean(
  name: string,
  parsed: readonly Token[],
  onStripped: (what: string) => void,
): CleanPart {
  const accepted = acceptChanges(treeOf(parsed));
  const joined = dropHalfRanges(joinParagraphs(accepted));
  const plain = expandSimpleFields(dropEditingMarks(joined));
  const inside = dropOutsideFields(tokensOf(plain), (field) => onStripped(`the field ${field}`));
  const { tokens, values, notes } = readMergeFields(inside);
  const { fields } = readFields(tokens);
  return { name, tokens, fields, mergeFields: values, fieldNotes: notes };
}
