import { TemplateError } from '../errors.ts';
import { escapeText } from '../xml/text.ts';

/** Bytes that grow. Parts are written one after the other into the same buffer. */
export interface Output {
  position(): number;
  bytes(bytes: Uint8Array): void;
  /** Markup of our own. */
  raw(text: string): void;
  /** A value inside `w:t`: escaped, line breaks and tabs as Word wants them. */
  value(text: string): void;
  /** Forgets what was written since. */
  rewind(position: number): void;
  insert(position: number, text: string): void;
  view(from: number, to: number): Buffer;
}

const FIRST_SIZE = 1 << 20;
const KEPT_SIZE = 16 << 20;
/**
 * A merge is synchronous, so one buffer serves all of them. Fresh megabytes per merge cost more in page faults
 * than writing them.
 */
let shared = Buffer.allocUnsafeSlow(FIRST_SIZE);

const BREAK = '</w:t><w:br/><w:t xml:space="preserve">';
const TAB = '</w:t><w:tab/><w:t xml:space="preserve">';
/** Beyond this, native code is quicker than a loop. */
const SHORT = 128;
/** The most bytes that one UTF-16 unit of a value becomes: `&amp;`. */
const WIDEST = 5;
const AMPERSAND = 38;
const LESS = 60;
const GREATER = 62;

export function createOutput(limit: number): Output {
  let buffer = shared;
  let at = 0;

  const reserve = (more: number): void => {
    if (at + more <= buffer.length) return;
    const bigger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, at + more));
    buffer.copy(bigger, 0, 0, at);
    buffer = bigger;
    if (bigger.length <= KEPT_SIZE) shared = bigger;
  };

  const refuse = (): never => {
    throw new TemplateError('output_too_large', `The document grows beyond ${limit} bytes.`);
  };

  const raw = (text: string): void => {
    // Before the buffer grows for it.
    if (at + text.length > limit) refuse();
    reserve(text.length * 3);
    at += buffer.write(text, at);
    if (at > limit) refuse();
  };

  return {
    position: () => at,
    bytes: (bytes) => {
      const { length } = bytes;
      if (at + length > limit) refuse();
      reserve(length);
      buffer.set(bytes, at);
      at += length;
    },
    raw,
    value: (text) => {
      const { length } = text;
      if (length <= SHORT) {
        reserve(length * WIDEST);
        const end = writePlain(text, buffer, at);
        if (end !== -1) {
          at = end;
          if (end > limit) refuse();
          return;
        }
      }
      let escaped = escapeText(text);
      if (/[\n\r]/.test(escaped)) escaped = escaped.replace(/\r\n?|\n/g, BREAK);
      if (escaped.includes('\t')) escaped = escaped.replaceAll('\t', TAB);
      raw(escaped);
    },
    rewind: (position) => {
      at = position;
    },
    insert: (position, text) => {
      const bytes = Buffer.from(text);
      if (at + bytes.length > limit) refuse();
      reserve(bytes.length);
      buffer.copyWithin(position + bytes.length, position, at);
      buffer.set(bytes, position);
      at += bytes.length;
    },
    view: (from, to) => buffer.subarray(from, to),
  };
}

/**
 * Encodes and escapes in one pass without strings in between: a third of a merge with many rows went into those.
 * Gives the end, or -1 at a character that needs more care: control characters, surrogates, what XML cannot hold.
 */
function writePlain(text: string, into: Buffer, start: number): number {
  let at = start;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) {
      if (code < 32) return -1;
      if (code === AMPERSAND) {
        into[at++] = 38;
        into[at++] = 97;
        into[at++] = 109;
        into[at++] = 112;
        into[at++] = 59;
      } else if (code === LESS || code === GREATER) {
        into[at++] = 38;
        into[at++] = code === LESS ? 108 : 103;
        into[at++] = 116;
        into[at++] = 59;
      } else into[at++] = code;
    } else if (code < 0x800) {
      into[at++] = 0xc0 | (code >> 6);
      into[at++] = 0x80 | (code & 63);
    } else {
      if ((code >= 0xd800 && code <= 0xdfff) || code >= 0xfffe) return -1;
      into[at++] = 0xe0 | (code >> 12);
      into[at++] = 0x80 | ((code >> 6) & 63);
      into[at++] = 0x80 | (code & 63);
    }
  }
  return at;
}
