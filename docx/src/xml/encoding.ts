import { isUtf8 } from 'node:buffer';
import { TemplateError } from '../errors.ts';

/**
 * The text of an XML part in the encoding of its mark, its first bytes or its declaration. What is written again is
 * always UTF-8.
 */
export function decodeXml(bytes: Buffer, part: string): { text: string; isUtf8: boolean } {
  const encoding = encodingOf(bytes);
  // Other bytes would be printed as \ufffd, and what they were is nowhere to be seen.
  if (encoding === 'utf-8' && isUtf8(bytes)) return { text: bytes.toString('utf8'), isUtf8: true };
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), isUtf8: false };
  } catch {
    throw new TemplateError(
      'unsupported_encoding',
      `${part}: it cannot be read as "${encoding.slice(0, 40)}". Save the file again in Word.`,
      { part },
    );
  }
}

function encodingOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const head = bytes.toString('latin1', 0, 200);
  const declared = /^(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*?encoding\s*=\s*["']([^"']+)/.exec(
    head,
  )?.[1];
  // A declaration in single bytes cannot be in UTF-16, whatever it says; some writers copy it from a string.
  const isPlain = declared === undefined || /^(?:utf-?8|us-ascii|utf-?16)$/i.test(declared);
  return isPlain ? 'utf-8' : declared;
}
