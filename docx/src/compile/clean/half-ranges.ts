import { type Node, withChildren } from './tree.ts';

const RANGE = /^w:(bookmark|perm)(Start|End)$/;

/** A deletion may have taken one end of a bookmark: the other end goes too, or the range would be left open. */
export function dropHalfRanges(root: Node): Node {
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
  const match = RANGE.exec(name);
  if (!match) return undefined;
  const id = /\sw:id\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(raw);
  return { range: `${match[1] ?? ''} ${id?.[1] ?? id?.[2] ?? ''}`, end: match[2] ?? '' };
}
