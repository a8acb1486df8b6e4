import type { Token } from '../../xml/tokenizer.ts';
import type { FoundTags, Paragraph, Tag } from '../tags/tags.ts';

/** Known answers: a row or a paragraph may hold thousands of tags, and each asks. */
const onlyTagsIn = new WeakMap<Token, boolean>();
const edgesOf = new WeakMap<Paragraph, Edges>();

/** Nothing a reader would see is in the element, apart from block tags. */
export function onlyTags(tokens: readonly Token[], found: FoundTags, unit: Token): boolean {
  const known = onlyTagsIn.get(unit);
  if (known !== undefined) return known;
  const answer = holdsOnlyTags(tokens, found, unit);
  onlyTagsIn.set(unit, answer);
  return answer;
}

function holdsOnlyTags(tokens: readonly Token[], { paragraphs }: FoundTags, unit: Token): boolean {
  for (let i = unit.index; i <= unit.match; i++) {
    const token = tokens[i];
    if (token?.kind !== 'open' || token.name !== 'w:p') continue;
    const paragraph = paragraphs.get(token);
    if (!paragraph) continue;
    if (paragraph.contentAt.length > 0) return false;
    if (paragraph.pageBreaksAt.length > 0 && unit.name !== 'w:p') return false;
    if (edges(paragraph).first !== Infinity) return false;
  }
  return true;
}

export function isFirst({ paragraphs }: FoundTags, tag: Tag): boolean {
  const paragraph = paragraphs.get(tag.paragraph);
  if (!paragraph) return false;
  return (
    tag.from <= edges(paragraph).first && (paragraph.contentAt[0] ?? Infinity) > tag.first.index
  );
}

export function isLast({ paragraphs }: FoundTags, tag: Tag): boolean {
  const paragraph = paragraphs.get(tag.paragraph);
  if (!paragraph) return false;
  return tag.to >= edges(paragraph).last && (paragraph.contentAt.at(-1) ?? -1) < tag.first.index;
}

/** Where the words begin and end, apart from spaces and block tags. */
interface Edges {
  readonly first: number;
  readonly last: number;
}

function edges(paragraph: Paragraph): Edges {
  const known = edgesOf.get(paragraph);
  if (known) return known;
  let first = Infinity;
  let last = -1;
  const see = (from: number, to: number) => {
    first = Math.min(first, from);
    last = Math.max(last, to);
  };
  let at = 0;
  const words = (to: number) => {
    const text = paragraph.text.slice(at, to);
    const start = text.search(/\S/u);
    if (start !== -1) see(at + start, at + text.trimEnd().length);
  };
  for (const tag of paragraph.tags) {
    words(tag.from);
    if (tag.parsed.kind === 'value') see(tag.from, tag.to);
    at = tag.to;
  }
  words(paragraph.text.length);
  const answer = { first, last };
  edgesOf.set(paragraph, answer);
  return answer;
}

/** The two children of the nearest common ancestor that hold `a` and `b`. */
export function belowCommonAncestor(
  tokens: readonly Token[],
  a: Token,
  b: Token,
): [Token | undefined, Token | undefined] {
  const above = new Map<number, Token>();
  for (let at: Token | undefined = a; at; at = tokens[at.parent]) above.set(at.parent, at);
  for (let at: Token | undefined = b; at; at = tokens[at.parent]) {
    const other = above.get(at.parent);
    if (other) return [other, at];
  }
  return [undefined, undefined];
}

export function childOf(
  tokens: readonly Token[],
  container: Token | undefined,
  inner: Token,
): Token | undefined {
  for (let at: Token | undefined = inner; at; at = tokens[at.parent]) {
    if (container && at.parent === container.index) return at;
  }
  return undefined;
}
