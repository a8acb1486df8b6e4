import { type Node, mapChildren, withChildren } from './tree.ts';

const REMOVED = new Set(
  (
    'w:proofErr w:lastRenderedPageBreak w:smartTagPr w:noProof ' +
    'w:commentRangeStart w:commentRangeEnd w:commentReference'
  ).split(' '),
);
const UNWRAPPED = new Set(['w:smartTag']);

/**
 * What only Word's own editing needs; without it a repeated row is a third smaller. One space stands before each
 * attribute: a pattern for many would search a value of spaces again from each of them.
 */
const EDITING_ATTRIBUTES =
  / (?:w:rsid\w*|w14:(?:paraId|textId)|wp14:(?:anchorId|editId))=(?:"[^"]*"|'[^']*')/g;

/**
 * Leaves out what an author and Word noted for themselves: spelling, comments, sessions. No customer sees the
 * author's remarks. Besides, LibreOfficeKit of Debian's package without a user interface cannot open a document with a
 * comment: the window for it is not there.
 */
export function dropEditingMarks(root: Node): Node {
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
