import type { Token } from '../../xml/tokenizer.ts';
import { NO_TOKEN } from '../../xml/tokens.ts';

/**
 * A part as elements within elements, for the steps that move or remove whole ones. A node never changes: each step
 * makes other nodes. `raw` is the opening tag, or the text.
 */
export interface Node {
  readonly kind: 'element' | 'text';
  readonly name: string;
  readonly raw: string;
  readonly children: readonly Node[];
}

const NO_CHILDREN: readonly Node[] = [];

/**
 * Leaves out what the package's cleaning took, and the white space that other programs write between elements:
 * every later step may rely on neighbours being elements.
 */
export function treeOf(tokens: readonly Token[]): Node {
  interface Open {
    readonly token: Token;
    readonly children: Node[];
    elements: number;
  }
  const open: Open[] = [{ token: NO_TOKEN, children: [], elements: 0 }];
  for (const token of tokens) {
    if (token.gone) continue;
    const around = open.at(-1);
    if (token.kind === 'open') open.push({ token, children: [], elements: 0 });
    else if (token.kind === 'text') {
      around?.children.push({ kind: 'text', name: '', raw: token.raw, children: NO_CHILDREN });
    } else {
      const ended = token.kind === 'close' ? open.pop() : undefined;
      const { name, raw } = ended?.token ?? token;
      const children = ended ? withoutSpace(ended.children, ended.elements) : NO_CHILDREN;
      const parent = open.at(-1);
      parent?.children.push({ kind: 'element', name, raw, children });
      if (parent) parent.elements++;
    }
  }
  return open[0]?.children[0] ?? element('w:document', NO_CHILDREN);
}

function withoutSpace(children: readonly Node[], elements: number): readonly Node[] {
  if (elements === 0 || elements === children.length) return children;
  return children.filter(({ kind, raw }) => kind === 'element' || /\S/.test(raw));
}

export function element(name: string, children: readonly Node[], attributes = ''): Node {
  return { kind: 'element', name, raw: `<${name}${attributes}>`, children };
}

export function text(raw: string): Node {
  return { kind: 'text', name: '', raw, children: NO_CHILDREN };
}

export function withChildren(node: Node, children: readonly Node[]): Node {
  if (children === node.children) return node;
  const { kind, name, raw } = node;
  return { kind, name, raw, children };
}

/** Each child, or what stands in its place. The same list when nothing changes: most of a part stays as it is. */
export function mapChildren(
  { children }: Node,
  change: (child: Node) => Node | readonly Node[],
): readonly Node[] {
  let changed: Node[] | undefined;
  // By index: an iterator of pairs was a tenth of the time of compiling.
  let i = 0;
  for (const child of children) {
    const made = change(child);
    if (made === child) changed?.push(child);
    else {
      changed ??= children.slice(0, i);
      // One by one: as arguments of one call, 200,000 children overflow the stack.
      for (const each of [made].flat()) changed.push(each);
    }
    i += 1;
  }
  return changed ?? children;
}

export function childNamed(node: Node | undefined, name: string): Node | undefined {
  return node?.children.find((each) => each.name === name);
}

/** Both tags are written for these even when they are empty: a paragraph always ends with the same token. */
const NEVER_EMPTY = new Set(['w:p', 'w:tc']);

/** Fresh tokens, numbered. */
export function tokensOf(root: Node): Token[] {
  const tokens: Token[] = [];
  const closers = new Map<string, string>();
  const closerOf = (name: string): string => {
    const closer = closers.get(name) ?? `</${name}>`;
    closers.set(name, closer);
    return closer;
  };
  const push = (kind: Token['kind'], name: string, raw: string, parent: number): Token => {
    const index = tokens.length;
    const token: Token = { kind, name, raw, gone: false, index, match: index, parent };
    tokens.push(token);
    return token;
  };
  const write = (node: Node, parent: number): void => {
    const { kind, name, raw, children } = node;
    if (kind === 'text') {
      push('text', '', raw, parent);
      return;
    }
    if (children.length === 0 && !NEVER_EMPTY.has(name)) {
      push('empty', name, raw.endsWith('/>') ? raw : `${raw.slice(0, -1)}/>`, parent);
      return;
    }
    const begun = push('open', name, raw.endsWith('/>') ? `${raw.slice(0, -2)}>` : raw, parent);
    for (const child of children) write(child, begun.index);
    const ended = push('close', name, closerOf(name), parent);
    begun.match = ended.index;
    ended.match = begun.index;
  };
  write(root, -1);
  return tokens;
}

/** The text that a step writes for a token. */
export type Written = Pick<Token, 'kind' | 'name' | 'raw'>;

/** Fresh tokens of a list in which elements are whole. */
export function numbered(list: readonly Written[]): Token[] {
  const tokens: Token[] = [];
  const open: Token[] = [];
  for (const { kind, name, raw } of list) {
    const index = tokens.length;
    const begun = kind === 'close' ? open.pop() : undefined;
    const parent = open.at(-1)?.index ?? -1;
    const token: Token = { kind, name, raw, gone: false, index, match: index, parent };
    if (begun) {
      begun.match = index;
      token.match = begun.index;
    }
    tokens.push(token);
    if (kind === 'open') open.push(token);
  }
  return tokens;
}
