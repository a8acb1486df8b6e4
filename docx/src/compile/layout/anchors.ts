import type { Token } from '../../xml/tokenizer.ts';
import type { Block } from './blocks.ts';
import type { Layout } from './levels.ts';
import type { FoundTags, Segment, Tag } from '../tags/tags.ts';

/** Where the walk over the tokens meets the tags of blocks. */
export interface Anchors {
  readonly blockOf: ReadonlyMap<Tag, Block>;
  /** The tags before and after each element, in the order in which they stand in the text. */
  readonly before: ReadonlyMap<Token, readonly Tag[]>;
  readonly after: ReadonlyMap<Token, readonly Tag[]>;
}

export function anchorsOf(blocks: readonly Block[], layout: Layout): Anchors {
  const blockOf = new Map<Tag, Block>();
  for (const block of blocks) {
    for (const tag of [block.open, ...block.elses, block.close]) blockOf.set(tag, block);
  }
  const found = { before: new Map<Token, Tag[]>(), after: new Map<Token, Tag[]>() };
  const inOrder = [...blockOf.keys()].toSorted(
    (a, b) => a.first.index - b.first.index || a.from - b.from,
  );
  for (const tag of inOrder) {
    const position = layout.positions.get(tag);
    if (position?.kind !== 'before' && position?.kind !== 'after') continue;
    const list = found[position.kind];
    const there = list.get(position.token);
    if (there) there.push(tag);
    else list.set(position.token, [tag]);
  }
  return { blockOf, ...found };
}

/** Within which blocks a token is written. */
export interface Standing {
  /** The loops around it, the outermost first. */
  readonly loops: readonly Block[];
  /** Equal for tokens that are written together: the branch of the innermost block. */
  readonly branch: number;
}

const NO_SEGMENTS: readonly Segment[] = [];

export function standings(
  tokens: readonly Token[],
  found: FoundTags,
  layout: Layout,
  { blockOf, before, after }: Anchors,
  wanted: (token: Token) => boolean,
): Map<Token, Standing> {
  const standing = new Map<Token, Standing>();
  const open: Standing[] = [{ loops: [], branch: 0 }];
  let branches = 0;
  const pass = (tag: Tag) => {
    const block = blockOf.get(tag);
    if (!block) return;
    if (tag.parsed.kind !== 'open') open.pop();
    if (tag.parsed.kind === 'close') return;
    const around = open.at(-1)?.loops ?? [];
    const loops = block.name === 'each' && tag.parsed.kind === 'open' ? [...around, block] : around;
    open.push({ loops, branch: ++branches });
  };
  for (const token of tokens) {
    before.get(token)?.forEach(pass);
    const here = open.at(-1);
    if (here && wanted(token)) standing.set(token, here);
    const segments = token.kind === 'text' ? found.segments.get(token) : undefined;
    for (const segment of segments ?? NO_SEGMENTS) {
      if (typeof segment === 'string') continue;
      const kind = layout.positions.get(segment)?.kind;
      if (kind === 'text' || kind === 'run') pass(segment);
    }
    after.get(token)?.forEach(pass);
  }
  return standing;
}
