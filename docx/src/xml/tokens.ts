import type { Token } from './tokenizer.ts';
import { decode, escapeAttribute } from './text.ts';

/** The tokenizer leaves one space before each attribute and none around its sign. */
const ATTRIBUTE = / ([^ =]+)=("[^"]*"|'[^']*')/g;

export function attributesOf(token: Token): [name: string, value: string][] {
  const found: [string, string][] = [];
  for (const [, name = '', quoted = ''] of token.raw.matchAll(ATTRIBUTE)) {
    found.push([name, decode(quoted.slice(1, -1))]);
  }
  return found;
}

/** The values as they are written, with their quotes. */
export function quotedAttributesOf(token: Token): [name: string, quoted: string][] {
  return Array.from(token.raw.matchAll(ATTRIBUTE), ([, name = '', quoted = '']) => [name, quoted]);
}

export function attribute(token: Token, name: string): string | undefined {
  if (!token.raw.includes(name)) return undefined;
  return attributesOf(token).find(([key]) => key === name)?.[1];
}

/** Removes the attributes that match; says whether there was one. */
export function removeAttributes(
  token: Token,
  matches: (name: string, value: string) => boolean,
): boolean {
  return replaceAttributes(token, (name, value) => (matches(name, value) ? undefined : value));
}

/** Gives attributes other values, or takes them out where there is none; says whether anything changed. */
export function replaceAttributes(
  token: Token,
  valueOf: (name: string, value: string) => string | undefined,
): boolean {
  const raw = token.raw.replace(ATTRIBUTE, (whole, name: string, quoted: string) => {
    const value = decode(quoted.slice(1, -1));
    const replaced = valueOf(name, value);
    if (replaced === value) return whole;
    return replaced === undefined ? '' : ` ${name}="${escapeAttribute(replaced)}"`;
  });
  const changed = raw !== token.raw;
  token.raw = raw;
  return changed;
}

/** The element with all that is in it. */
export function removeElement(tokens: readonly Token[], token: Token): void {
  for (let i = token.index; i <= token.match; i++) {
    const inner = tokens[i];
    if (inner) inner.gone = true;
  }
}

/** The element's two tags; its content stays. */
export function unwrapElement(tokens: readonly Token[], token: Token): void {
  token.gone = true;
  const close = tokens[token.match];
  if (close) close.gone = true;
}

/** The text of the tokens from `from` to `to`. */
export function rawOf(tokens: readonly Token[], from: number, to: number): string {
  let raw = '';
  for (let i = from; i <= to; i++) {
    const token = tokens[i];
    if (token && !token.gone) raw += token.raw;
  }
  return raw;
}

export function elementRaw(tokens: readonly Token[], token: Token | undefined): string {
  return token === undefined ? '' : rawOf(tokens, token.index, token.match);
}

/** The elements directly within one. */
export function children(tokens: readonly Token[], parent: Token): Token[] {
  const found: Token[] = [];
  for (let i = parent.index + 1; i < parent.match; i++) {
    const token = tokens[i];
    if (!token) break;
    if (token.kind === 'open' || token.kind === 'empty') {
      found.push(token);
      i = token.match;
    }
  }
  return found;
}

export function child(tokens: readonly Token[], parent: Token, name: string): Token | undefined {
  for (let i = parent.index + 1; i < parent.match; i++) {
    const token = tokens[i];
    if (!token) break;
    if (token.kind === 'text' || token.kind === 'close') continue;
    if (token.name === name) return token;
    i = token.match;
  }
  return undefined;
}

/** The first element within one, when it has the name: properties come before everything else. */
export function leading(tokens: readonly Token[], parent: Token, name: string): Token | undefined {
  const first = tokens[parent.index + 1];
  return first?.name === name && first.kind !== 'close' ? first : undefined;
}

/** The nearest element around a token, or itself, with one of the names. */
export function closest(
  tokens: readonly Token[],
  token: Token,
  ...names: readonly string[]
): Token | undefined {
  for (let at: Token | undefined = token; at; at = tokens[at.parent]) {
    if (at.kind !== 'text' && names.includes(at.name)) return at;
  }
  return undefined;
}

/** Stands where there is none. */
export const NO_TOKEN: Token = {
  kind: 'text',
  name: '',
  raw: '',
  gone: true,
  index: -1,
  match: -1,
  parent: -1,
};
