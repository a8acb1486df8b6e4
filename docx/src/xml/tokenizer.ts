import { TemplateError, type TemplateErrorCode } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { ILLEGAL, escapeText } from './text.ts';

/**
 * A piece of an XML part. `raw` is what is written for it; later steps change it, or set `gone`. `match` is
 * the token at the element's other end, `parent` the opening token around it (-1 at the root).
 */
export interface Token {
  kind: 'open' | 'close' | 'empty' | 'text';
  name: string;
  raw: string;
  gone: boolean;
  index: number;
  match: number;
  parent: number;
}

/**
 * One linear pass, no tree, no recursion. Refuses what is not well-formed and every document type, so that no
 * entity but XML's own five is ever read. Comments and processing instructions are left out.
 */
export function tokenize(xml: string, part: string, limits: Limits): Token[] {
  const fail = (code: TemplateErrorCode, message: string) =>
    new TemplateError(code, `${part}: ${message}`, { part });
  if (ILLEGAL.test(xml)) throw fail('malformed_xml', 'it holds a character that XML forbids.');
  const tooMany = () =>
    fail('too_many_elements', 'the file has more elements than any document needs.');
  if (hasMoreTags(xml, limits.tokens)) throw tooMany();
  const tokens: Token[] = [];
  const open: number[] = [];
  // One string for all elements of a name, and for all their ends: half of the memory, and later steps compare names by their place.
  const names = new Map<string, { readonly name: string; readonly close: string }>();
  const named = (written: string) => {
    let known = names.get(written);
    if (known === undefined) {
      known = { name: written, close: `</${written}>` };
      names.set(written, known);
    }
    return known;
  };
  let at = xml.charCodeAt(0) === 0xfeff ? 1 : 0;

  const push = (kind: Token['kind'], name: string, raw: string): number => {
    const index = tokens.length;
    if (index >= limits.tokens) throw tooMany();
    tokens.push({ kind, name, raw, gone: false, index, match: index, parent: open.at(-1) ?? -1 });
    return index;
  };

  while (at < xml.length) {
    const tag = xml.indexOf('<', at);
    const textEnd = tag === -1 ? xml.length : tag;
    if (textEnd > at) {
      const text = xml.slice(at, textEnd);
      if (hasUnknownEntity(text)) throw fail('malformed_xml', `"${cut(text)}" has a bare "&".`);
      if (open.length > 0) push('text', '', text);
      else if (text.trim() !== '') throw fail('malformed_xml', 'there is text outside the root.');
    }
    if (tag === -1) break;
    const second = xml.charCodeAt(tag + 1);
    if (second === 0x21 /* ! */) {
      if (xml.startsWith('<!--', tag)) {
        at = after(xml, '-->', tag + 4);
      } else if (xml.startsWith('<![CDATA[', tag) && open.length > 0) {
        at = after(xml, ']]>', tag + 9);
        push('text', '', escapeText(xml.slice(tag + 9, at - 3)));
      } else {
        throw fail('dtd_not_allowed', 'it declares a document type, which templates may not.');
      }
    } else if (second === 0x3f /* ? */) {
      at = after(xml, '?>', tag + 2);
    } else if (second === 0x2f /* / */) {
      at = xml.indexOf('>', tag) + 1;
      if (at === 0) at = -1;
      const opener = open.pop();
      const { name, close } = named(xml.slice(tag + 2, at - 1).trimEnd());
      const begun = opener === undefined ? undefined : tokens[opener];
      if (begun === undefined || begun.name !== name) {
        throw fail('malformed_xml', `</${cut(name)}> closes nothing.`);
      }
      const index = push('close', name, close);
      begun.match = index;
      const closing = tokens[index];
      if (closing) closing.match = begun.index;
    } else {
      const scanned = scanTag(xml, tag);
      if (scanned === undefined) throw fail('malformed_xml', `"${cut(xml.slice(tag))}" is no tag.`);
      at = scanned.end;
      if (open.length === 0 && tokens.length > 0) throw fail('malformed_xml', 'it has two roots.');
      const { name } = named(scanned.name);
      const index = push(scanned.empty ? 'empty' : 'open', name, scanned.raw);
      if (!scanned.empty) open.push(index);
      if (open.length > limits.depth) {
        throw fail('too_deep', `elements are nested more than ${limits.depth} deep.`);
      }
    }
    if (at < 0) throw fail('malformed_xml', 'it ends inside a tag.');
  }
  if (open.length > 0 || tokens.length === 0) throw fail('malformed_xml', 'it ends too early.');
  return tokens;
}

/** Counted before the first token is made, which is where the memory goes. */
function hasMoreTags(xml: string, limit: number): boolean {
  if (xml.length <= limit) return false;
  let count = 0;
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at + 1)) {
    if (++count > limit) return true;
  }
  return false;
}

function after(xml: string, ending: string, from: number): number {
  const found = xml.indexOf(ending, from);
  return found === -1 ? -1 : found + ending.length;
}

interface Tag {
  readonly name: string;
  readonly raw: string;
  readonly end: number;
  readonly empty: boolean;
}

/**
 * Reads an opening tag; undefined when it is not one. Quotes may hold ">". One space stands before each attribute in
 * `raw` and none elsewhere, so that patterns over it cannot be made to search long runs of spaces again and again.
 */
function scanTag(xml: string, tag: number): Tag | undefined {
  const name = readName(xml, tag + 1);
  if (name === undefined) return undefined;
  let only: string | undefined;
  let attributes: Set<string> | undefined;
  let tidy = true;
  /** What is written where the spaces are not as they should be, which is rare. */
  let raw = '';
  let at = tag + 1 + name.length;
  for (;;) {
    const start = skipSpace(xml, at);
    const char = xml.charCodeAt(start);
    const empty = char === 0x2f; /* / */
    if (empty && xml.charCodeAt(start + 1) !== 0x3e) return undefined;
    if (empty || char === 0x3e /* > */) {
      const end = start + (empty ? 2 : 1);
      const written =
        tidy && start === at
          ? xml.slice(tag, end)
          : (tidy ? xml.slice(tag, at) : raw) + (empty ? '/>' : '>');
      return { name, raw: written, end, empty };
    }
    const attribute = start === at ? undefined : readName(xml, start);
    if (attribute === undefined) return undefined;
    // Most elements have one at most, and need no list of what they had.
    if (only === undefined) only = attribute;
    else {
      attributes ??= new Set([only]);
      if (attributes.has(attribute)) return undefined;
      attributes.add(attribute);
    }
    const sign = skipSpace(xml, start + attribute.length);
    if (xml.charCodeAt(sign) !== 0x3d /* = */) return undefined;
    const open = skipSpace(xml, sign + 1);
    const quote = xml[open];
    if (quote !== '"' && quote !== "'") return undefined;
    const close = xml.indexOf(quote, open + 1);
    if (close === -1) return undefined;
    const value = xml.slice(open + 1, close);
    if (value.includes('<') || hasUnknownEntity(value)) return undefined;
    const isTidy =
      start === at + 1 && xml.charCodeAt(at) === 0x20 && open === start + attribute.length + 1;
    if (tidy && !isTidy) {
      raw = xml.slice(tag, at);
      tidy = false;
    }
    if (!tidy) raw += ` ${attribute}=${quote}${value}${quote}`;
    at = close + 1;
  }
}

/** A letter or an underscore, then also digits, dots, dashes and colons. By codes: a pattern takes three times as long. */
function readName(xml: string, from: number): string | undefined {
  let at = from;
  for (; ; at++) {
    const code = xml.charCodeAt(at);
    const isLetter =
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x41 && code <= 0x5a) ||
      code === 0x5f ||
      code >= 0xc0;
    if (isLetter) continue;
    const isInside =
      (code >= 0x30 && code <= 0x3a) || code === 0x2d || code === 0x2e || code >= 0xb7;
    if (at === from || !isInside) break;
  }
  return at === from ? undefined : xml.slice(from, at);
}

function skipSpace(xml: string, from: number): number {
  let at = from;
  while (xml.charCodeAt(at) <= 0x20) at++;
  return at;
}

function hasUnknownEntity(text: string): boolean {
  return (
    text.includes('&') && /&(?!(?:amp|lt|gt|quot|apos|#\d{1,8}|#x[\da-fA-F]{1,8});)/.test(text)
  );
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
