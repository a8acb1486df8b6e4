import type { Token } from '../xml/tokenizer.ts';
import { attribute, attributesOf } from '../xml/tokens.ts';
import { localName } from './relationships.ts';

/**
 * How much an SVG draws beyond what is written in it. Nine levels of groups that each use the next one ten times are 2.4 kB
 * and a thousand million rectangles. Counted are the elements that references bring in, each as often as they do.
 * Measured with LibreOffice 7.4: 110,000 by `use` take 1.4 s, 110,000 by masks in masks 11 s and 650 MB, 11,000 by
 * patterns in patterns 12 s. Gradients and filters are left out: it reads a gradient once, and no filter at all.
 */
export const MOST_DRAWN = 100_000;

/** References of references of references. A circle has no end. */
const DEEPEST = 50;

/** The cost of a mask or pattern beyond that of the same elements drawn: it is a picture of its own. */
const WEIGHTS: Readonly<Record<string, number>> = { mask: 5, pattern: 5 };
const FREE = new Set(['lineargradient', 'radialgradient', 'filter', 'a']);

interface Reference {
  /** The element that refers, and its end. */
  readonly from: number;
  readonly to: number;
  readonly target: Token;
  /** Fill, stroke and markers are handed down: each element within one that has them draws them. */
  readonly inherited: boolean;
}

/** Elements that references bring in, or Infinity once there are more than `MOST_DRAWN`. */
export function drawnElements(tokens: readonly Token[], styles: readonly string[]): number {
  const elements = tokens.filter(({ kind, gone }) => !gone && kind !== 'text' && kind !== 'close');
  // In the order of their elements.
  const found = referencesOf(elements, styles);
  if (found === null) return Infinity;
  const references = found;
  const hasMarkers = references.some(({ target }) => nameOf(target) === 'marker');
  // Up to each token: elements, and the points of their lines, at each of which a marker may be drawn.
  const elementsTo = new Float64Array(tokens.length + 1);
  const pointsTo = new Float64Array(tokens.length + 1);
  for (const token of elements) {
    elementsTo[token.index + 1] = 1;
    if (hasMarkers) pointsTo[token.index + 1] = pointsOf(token);
  }
  for (let i = 1; i <= tokens.length; i++) {
    elementsTo[i] = (elementsTo[i] ?? 0) + (elementsTo[i - 1] ?? 0);
    pointsTo[i] = (pointsTo[i] ?? 0) + (pointsTo[i - 1] ?? 0);
  }
  const known = new Map<number, number>();
  const knownInside = new Map<number, number>();
  return broughtIn(0, tokens.length - 1, 0);

  function between(counts: Float64Array, from: number, to: number): number {
    return (counts[to + 1] ?? 0) - (counts[from] ?? 0);
  }

  /** The references of the elements from one token to another. */
  function* inside(from: number, to: number): Generator<Reference> {
    let [low, high] = [0, references.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((references[middle]?.from ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    for (let next = references[low]; next && next.from <= to; next = references[++low]) yield next;
  }

  /** The cost of everything that the references of the elements from one token to another bring in. */
  function broughtIn(from: number, to: number, depth: number): number {
    let sum = 0;
    for (const { from: first, to: last, target, inherited } of inside(from, to)) {
      const each = drawn(target, depth) * (WEIGHTS[nameOf(target)] ?? 1);
      sum += inherited ? each * times(first, last, target, depth) : each;
      if (sum > MOST_DRAWN) return Infinity;
    }
    return sum;
  }

  /** How often something inherited is drawn: by each element within, also by those that are brought in. */
  function times(from: number, to: number, target: Token, depth: number): number {
    const counts = nameOf(target) === 'marker' ? pointsTo : elementsTo;
    return between(counts, from, to) + drawnInside(from, to, depth);
  }

  /** Remembered by element: a style sheet can give one element thousands of references, each of which asks. */
  function drawnInside(from: number, to: number, depth: number): number {
    const before = knownInside.get(from);
    if (before !== undefined) return before;
    let sum = 0;
    for (const each of inside(from, to)) if (!each.inherited) sum += drawn(each.target, depth);
    knownInside.set(from, sum);
    return sum;
  }

  function drawn({ index, match }: Token, depth: number): number {
    const count = known.get(index);
    if (count !== undefined) return count;
    if (depth > DEEPEST) return Infinity;
    const sum = between(elementsTo, index, match) + broughtIn(index, match, depth + 1);
    known.set(index, sum);
    return sum;
  }
}

/** Null once there are more than `MOST_DRAWN`: each brings in one element at least. */
function referencesOf(
  elements: readonly Token[],
  styles: readonly string[],
): readonly Reference[] | null {
  const byId = new Map<string, Token>();
  for (const token of elements) {
    const id = attribute(token, 'id');
    if (id !== undefined) byId.set(id, token);
  }
  const targetOf = (id: string): Token | undefined => {
    const target = byId.get(id);
    return target === undefined || FREE.has(nameOf(target)) ? undefined : target;
  };
  const rules = rulesOf(styles, (id) => targetOf(id) !== undefined);
  const references: Reference[] = [];
  for (const token of elements) {
    // Most elements refer to nothing, and their attributes need not be read.
    const mayRefer = rules.size > 0 || /href|url|&#/i.test(token.raw);
    if (!mayRefer || FREE.has(nameOf(token))) continue;
    const attributes = attributesOf(token);
    for (const { id, inherited } of namedBy(token, attributes, rules)) {
      const target = targetOf(id);
      if (target === undefined) continue;
      references.push({ from: token.index, to: token.match, target, inherited });
      if (references.length > MOST_DRAWN) return null;
    }
  }
  return references;
}

/** The references of an element: by its attributes, then by the rules that select it. */
function* namedBy(
  token: Token,
  attributes: readonly (readonly [name: string, value: string])[],
  rules: Rules,
): Generator<Named> {
  for (const [name, value] of attributes) yield* namesIn(name, value);
  if (rules.size > 0) yield* selectedBy(token, attributes, rules);
}

interface Named {
  readonly id: string;
  readonly inherited: boolean;
}

function namesIn(name: string, value: string): Named[] {
  const local = localName(name).toLowerCase();
  if (local === 'href') {
    const text = value.trim();
    return text.startsWith('#') ? [{ id: text.slice(1), inherited: false }] : [];
  }
  if (!value.includes('(')) return [];
  return urlsIn(value).map(({ id, property = local }) => ({
    id,
    inherited: !/^(?:mask|clip-path)$/i.test(property),
  }));
}

/**
 * `fill: url(#a)`, wherever it stands. Written out, since one pattern for all of it takes a minute for a megabyte of letters or
 * spaces; here each character is looked at a fixed number of times.
 */
function urlsIn(value: string): { id: string; property: string | undefined }[] {
  const found: { id: string; property: string | undefined }[] = [];
  const opening = /url\s*\(/gi;
  for (let at = opening.exec(value); at !== null; at = opening.exec(value)) {
    let from = past(SPACE, value, opening.lastIndex);
    if (value[from] === '"' || value[from] === "'") from = past(SPACE, value, from + 1);
    if (value[from] !== '#') continue;
    const to = past(ID, value, from + 1);
    if (to === from + 1) continue;
    found.push({ id: value.slice(from + 1, to), property: propertyBefore(value, at.index) });
    opening.lastIndex = to;
  }
  return found;
}

const SPACE = /\s*/y;
const ID = /[^"')\s]*/y;

function past(pattern: RegExp, value: string, from: number): number {
  pattern.lastIndex = from;
  return from + (pattern.exec(value)?.[0].length ?? 0);
}

/** The name before the colon before `at`, read backwards. */
function propertyBefore(value: string, at: number): string | undefined {
  const back = (isPart: RegExp, from: number): number => {
    let end = from;
    while (end > 0 && isPart.test(value[end - 1] ?? '')) end -= 1;
    return end;
  };
  const colon = back(/\s/, at) - 1;
  if (value[colon] !== ':') return undefined;
  const end = back(/\s/, colon);
  return value.slice(back(/[\w-]/, end), end) || undefined;
}

/** The references of style sheets, by what their selectors name: `.class`, `#id`, `element` or `*`. */
type Rules = ReadonlyMap<string, Iterable<Named>>;

/** Each reference of a name once, and only to what is there. */
function rulesOf(styles: readonly string[], isThere: (id: string) => boolean): Rules {
  const rules = new Map<string, Map<string, Named>>();
  for (const style of styles) {
    for (const [selector, body] of blocksOf(style)) {
      const named = namesIn('style', body).filter(({ id }) => isThere(id));
      if (named.length === 0) continue;
      for (const name of new Set(selector.match(/[.#]?[\w-]+|\*/g))) {
        const of = rules.get(name) ?? new Map<string, Named>();
        for (const each of named) of.set(`${each.id} ${each.inherited}`, each);
        rules.set(name, of);
      }
    }
  }
  return new Map([...rules].map(([name, of]) => [name, [...of.values()]]));
}

/** Selector and body of each block that has no other block in it. */
function* blocksOf(style: string): Generator<[selector: string, body: string]> {
  let selector = '';
  let from = 0;
  for (const { 0: brace, index } of style.matchAll(/[{}]/g)) {
    const text = style.slice(from, index);
    if (brace === '}' && selector !== '') yield [selector, text];
    selector = brace === '{' ? text : '';
    from = index + 1;
  }
}

/** Any name of a selector is enough: rather once too often than once too little. */
function* selectedBy(
  token: Token,
  attributes: readonly (readonly [name: string, value: string])[],
  rules: Rules,
): Generator<Named> {
  const names = ['*', localName(token.name)];
  for (const [name, value] of attributes) {
    if (name === 'class') names.push(...value.split(/\s+/).map((each) => `.${each}`));
    if (name === 'id') names.push(`#${value}`);
  }
  for (const name of names) yield* rules.get(name) ?? [];
}

function nameOf({ name }: Token): string {
  return localName(name).toLowerCase();
}

/** The points of a line: half of the numbers that its path has. */
function pointsOf(token: Token): number {
  let numbers = 0;
  for (const [name, value] of attributesOf(token)) {
    if (name === 'd' || name === 'points') numbers += value.match(/[\d.]+/g)?.length ?? 0;
  }
  return 1 + numbers / 2;
}
