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
  endsWith(bytes: Buffer): boolean;
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
const SHORT = 64;

export function createOutput(limit: number): Output {
  let buffer = shared;
  let at = 0;

  const reserve = (more: number): void => {
    if (at + more > limit) {
      throw new TemplateError('output_too_large', `The document grows beyond ${limit} bytes.`);
    }
    if (at + more <= buffer.length) return;
    const bigger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, at + more));
    buffer.copy(bigger, 0, 0, at);
    buffer = bigger;
    if (bigger.length <= KEPT_SIZE) shared = bigger;
  };

  const raw = (text: string): void => {
    reserve(text.length * 3);
    at += buffer.write(text, at);
  };

  return {
    position: () => at,
    bytes: (bytes) => {
      reserve(bytes.length);
      buffer.set(bytes, at);
      at += bytes.length;
    },
    raw,
    value: (text) => {
      const { length } = text;
      if (length <= SHORT) {
        // Most values are short and plain: a loop beats the call into native code.
        reserve(length);
        let i = 0;
        for (; i < length; i++) {
          const code = text.charCodeAt(i);
          if (code < 32 || code > 126 || code === 38 || code === 60 || code === 62) break;
          buffer[at + i] = code;
        }
        if (i === length) {
          at += length;
          return;
        }
      }
      let escaped = escapeText(text);
      if (/[\n\r]/.test(escaped)) escaped = escaped.replace(/\r\n?|\n/g, BREAK);
      if (escaped.includes('\t')) escaped = escaped.replaceAll('\t', TAB);
      raw(escaped);
    },
    endsWith: (bytes) => {
      const start = at - bytes.length;
      return start >= 0 && buffer.compare(bytes, 0, bytes.length, start, at) === 0;
    },
    rewind: (position) => {
      at = position;
    },
    insert: (position, text) => {
      const bytes = Buffer.from(text);
      reserve(bytes.length);
      buffer.copyWithin(position + bytes.length, position, at);
      buffer.set(bytes, position);
      at += bytes.length;
    },
    view: (from, to) => buffer.subarray(from, to),
  };
}
