import type { Plugin } from 'vite';

/** Where contracts, error tables and metrics are written down: for the documentation, with words and examples. */
const CONTRACTS = /\/(api\/src|workloads\/\w+\/src\/contract)\//;
/** What only the documentation shows. The console uses a contract's path, access and schemas. */
const FOR_READERS: ReadonlySet<string> = new Set([
  'summary',
  'example',
  'help',
  'about',
  'description',
]);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [name: string]: unknown;
}

type Cut = readonly [start: number, end: number, instead: string];

/**
 * Leaves the words of the contracts out of what a browser loads: `.describe('…')` of a schema, and texts that only the
 * documentation shows. With them the first load was 201 kB of gzipped scripts, without them it is 178, and a schema less is made
 * for each sentence.
 */
export function contractsWithoutWords(): Plugin {
  return {
    name: 'contracts-without-words',
    apply: 'build',
    transform: {
      filter: { id: CONTRACTS },
      handler(code) {
        const cuts: Cut[] = [];
        visit(this.parse(code) as unknown as Node, cuts);
        return { code: without(code, cuts), map: null };
      },
    },
  };
}

function visit(node: Node, cuts: Cut[]): void {
  const cut = cutOf(node);
  if (cut !== null) cuts.push(cut);
  for (const child of Object.values(node)) {
    for (const each of Array.isArray(child) ? child : [child]) {
      if (isNode(each)) visit(each, cuts);
    }
  }
}

function cutOf(node: Node): Cut | null {
  if (node.type === 'CallExpression') {
    const callee = node['callee'] as Node;
    if (callee.type !== 'MemberExpression' || nameOf(callee['property']) !== 'describe')
      return null;
    return [(callee['object'] as Node).end, node.end, ''];
  }
  if (node.type === 'Property' && FOR_READERS.has(nameOf(node['key']))) {
    const value = node['value'] as Node;
    // A schema has such names too: `help: z.string()`.
    if (
      value.type === 'Literal' ||
      value.type === 'TemplateLiteral' ||
      value.type === 'BinaryExpression'
    )
      return [value.start, value.end, "''"];
    if (value.type === 'ObjectExpression' && nameOf(node['key']) === 'example')
      return [value.start, value.end, '{}'];
  }
  return null;
}

function nameOf(node: unknown): string {
  return isNode(node) && node.type === 'Identifier' ? String(node['name']) : '';
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Cuts may lie in one another: what is cut within a cut is gone with it. */
function without(code: string, cuts: readonly Cut[]): string {
  let [text, at] = ['', 0];
  for (const [start, end, instead] of cuts.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (start < at) continue;
    text += code.slice(at, start) + instead;
    at = end;
  }
  return text + code.slice(at);
}
