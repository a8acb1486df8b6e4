import type { Token } from '../../xml/tokenizer.ts';
import { acceptChanges } from './changes.ts';
import type { Expression } from '../tags/expression.ts';
import { dropOutsideFields } from './field-codes.ts';
import { expandSimpleFields, type Field, readFields, SIMPLE_FIELD } from './fields.ts';
import { type FieldNote, readMergeFields } from './merge-fields.ts';
import { joinParagraphs } from './paragraph-marks.ts';
import { mapChildren, type Node, tokensOf, treeOf, withChildren } from './tree.ts';

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
  /** The switches of theirs that are not followed. */
  readonly fieldNotes: ReadonlyMap<Token, FieldNote>;
}

export function clean(
  name: string,
  parsed: readonly Token[],
  onStripped: (what: string) => void,
): CleanPart {
  const accepted = acceptChanges(treeOf(parsed));
  const joined = dropHalfRanges(joinParagraphs(accepted));
  const unmarked = dropEditingMarks(joined);
  const hasSimpleFields = parsed.some(({ name: each }) => each === SIMPLE_FIELD);
  const plain = hasSimpleFields ? expandSimpleFields(unmarked) : unmarked;
  const inside = dropOutsideFields(tokensOf(plain), (field) => onStripped(`the field ${field}`));
  const { tokens, values, notes } = readMergeFields(inside);
  const { fields } = readFields(tokens);
  return { name, tokens, fields, mergeFields: values, fieldNotes: notes };
}

const REMOVED = new Set(
  (
    'w:proofErr w:lastRenderedPageBreak w:smartTagPr w:noProof ' +
    'w:commentRangeStart w:commentRangeEnd w:commentReference'
  ).split(' '),
);
const UNWRAPPED = new Set(['w:smartTag']);

/**
 * The marks that only Word's own editing needs; without them a repeated row is a third smaller. One space stands before each
 * attribute: a pattern for many would search a value of spaces again from each of them.
 */
const EDITING_ATTRIBUTES =
  / (?:w:rsid\w*|w14:(?:paraId|textId)|wp14:(?:anchorId|editId))=(?:"[^"]*"|'[^']*')/g;

/**
 * Leaves out what an author and Word noted for themselves: spelling, comments, sessions. No customer sees the
 * author's remarks. Besides, LibreOfficeKit of Debian's package without a user interface cannot open a document with a
 * comment: the window for it is not there.
 */
function dropEditingMarks(root: Node): Node {
  return [dropped(root)].flat()[0] ?? root;
}

function dropped(node: Node): Node | readonly Node[] {
  if (node.kind === 'text') return node;
  if (REMOVED.has(node.name)) return [];
  const children = mapChildren(node, dropped);
  if (UNWRAPPED.has(node.name)) return children;
  const { raw } = node;
  const editing = raw.includes('rsid') || raw.includes('14:');
  if (!editing) return withChildren(node, children);
  return { ...node, raw: raw.replace(EDITING_ATTRIBUTES, ''), children };
}

const RANGE = /^w:(bookmark|perm)(Start|End)$/;

/** A deletion may have taken one end of a bookmark: the other end goes too, or the range would be left open. */
function dropHalfRanges(root: Node): Node {
  const ends = new Map<string, Set<string>>();
  const note = (node: Node): void => {
    const key = keyOf(node);
    if (key) ends.set(key.range, (ends.get(key.range) ?? new Set()).add(key.end));
    for (const child of node.children) note(child);
  };
  note(root);
  const half = new Set([...ends].filter(([, seen]) => seen.size < 2).map(([range]) => range));
  return half.size === 0 ? root : without(root, half);
}

function without(node: Node, half: ReadonlySet<string>): Node {
  const kept = node.children.filter((child) => !half.has(keyOf(child)?.range ?? ''));
  return withChildren(
    node,
    kept.map((child) => without(child, half)),
  );
}

function keyOf({ name, raw }: Node): { range: string; end: string } | undefined {
  // Most elements are none, and a pattern takes longer to say so.
  if (!name.startsWith('w:bookmark') && !name.startsWith('w:perm')) return undefined;
  const match = RANGE.exec(name);
  if (!match) return undefined;
  const id = /\sw:id\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(raw);
  return { range: `${match[1] ?? ''} ${id?.[1] ?? id?.[2] ?? ''}`, end: match[2] ?? '' };
}
