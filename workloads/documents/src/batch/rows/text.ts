import { DocumentError } from '../../document-error.ts';

/** From bytes to text: what the file is, and in which encoding it was written. */
export interface Decoded {
  readonly texts: AsyncIterable<string>;
  /** `utf-8`, or what it turned out to be. Known for certain at the end. */
  encoding(): string;
}

/** Enough to recognise UTF-16 without a mark, and files that are none of the formats. */
const BEGINNING = 1_024;

/** How spreadsheet programs write "CSV" where a language is spoken: in the code page of its Windows. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['bs', 'cs', 'hr', 'hu', 'pl', 'ro', 'sk', 'sl', 'sq'].map((of) => [of, 'windows-1250']),
  ),
  ...Object.fromEntries(
    ['be', 'bg', 'kk', 'mk', 'ru', 'sr', 'uk'].map((of) => [of, 'windows-1251']),
  ),
  ...Object.fromEntries(['et', 'lt', 'lv'].map((of) => [of, 'windows-1257'])),
  el: 'windows-1253',
  tr: 'windows-1254',
  az: 'windows-1254',
  he: 'windows-1255',
  ar: 'windows-1256',
  fa: 'windows-1256',
  vi: 'windows-1258',
  ja: 'shift_jis',
  ko: 'euc-kr',
  zh: 'gb18030',
};

/** The code page that a locale's programs write in; `windows-1252` for Western Europe and everywhere else. */
export function codePageOf(locale: string): string {
  return CODE_PAGES[locale.split(/[-_]/)[0]?.toLowerCase() ?? ''] ?? 'windows-1252';
}

/**
 * UTF-8, UTF-16 with or without its mark, or `other`: ASCII is the same in all of them, so the first byte that is no
 * UTF-8 decides. After letters that were read as UTF-8, such a byte is damage.
 */
export async function decoded(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  other: string | null,
): Promise<Decoded> {
  const { first, all } = await beginning(source);
  const what = foreign(first);
  if (what !== null) throw new DocumentError('invalid_rows', what);
  let encoding = utf16(first) ?? 'utf-8';

  async function* texts(): AsyncGenerator<string> {
    let decoder = encoding === 'utf-8' ? null : new TextDecoder(encoding, { fatal: true });
    // The beginning of a letter whose end is in the next piece.
    let half: Uint8Array = new Uint8Array();
    let hasLetters = false;
    const switched = (bytes: Uint8Array): string => {
      if (other === null || hasLetters || isMostlyUtf8(bytes)) throw notText(other);
      encoding = other;
      decoder = new TextDecoder(other, { fatal: true });
      return decode(decoder, bytes);
    };
    const next = (chunk: Uint8Array): string => {
      if (decoder !== null) return decode(decoder, chunk);
      const whole = Buffer.concat([half, chunk]);
      const end = whole.length - halfLetter(whole);
      half = whole.subarray(end);
      const text = asUtf8(whole.subarray(0, end));
      if (text === null) return switched(whole);
      hasLetters ||= BEYOND_ASCII.test(text);
      return text;
    };
    const last = (): string => {
      if (decoder !== null) return decode(decoder, null);
      return half.length === 0 ? '' : switched(half);
    };
    // In JSON each row says for itself what is wrong with it.
    const checked = other === null ? (text: string) => text : withoutControls;
    for await (const chunk of all) yield checked(next(chunk));
    yield checked(last());
  }
  return { texts: texts(), encoding: () => encoding };
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array | null): string {
  try {
    return bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch (error) {
    throw error instanceof TypeError ? notText(decoder.encoding, error) : error;
  }
}

function asUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

// oxlint-disable-next-line no-control-regex
const BEYOND_ASCII = /[^\u0000-\u007f]/;

/** How many bytes at the end begin a letter of UTF-8 that goes on after them. */
function halfLetter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** Damaged UTF-8 has more sound letters than broken ones; another encoding gives sound ones by accident only. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  // oxlint-disable-next-line no-control-regex
  const sound = text.match(/[^\u0000-\u007f\ufffd]/g)?.length ?? 0;
  return sound > broken;
}

// NUL and the other controls stand in no text; those from 0x80 are places that a code page leaves empty.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u0080-\u0084\u0086-\u009f]/;

function withoutControls(text: string): string {
  if (!CONTROL.test(text)) return text;
  throw new DocumentError(
    'invalid_rows',
    'The rows are no text: there are control characters among them. Save the file as CSV in UTF-8, or as XLSX.',
  );
}

function notText(other: string | null, cause?: unknown): DocumentError {
  const also = other === null ? '' : `, nor all of it ${other}`;
  return new DocumentError(
    'invalid_rows',
    `The rows are not UTF-8${also}. Save the file as UTF-8.`,
    { cause },
  );
}

async function beginning(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<{ first: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const iterator = (async function* () {
    yield* source;
  })();
  const read: Uint8Array[] = [];
  for (let length = 0; length < BEGINNING;) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    read.push(value);
    length += value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    // One piece: a mark or a letter must not be cut in two.
    yield Buffer.concat(read);
    yield* iterator;
  }
  return { first: Buffer.concat(read).subarray(0, BEGINNING), all: all() };
}

/** Without a mark: of ASCII letters every other byte is zero. */
function utf16(first: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
  if (first[0] === 0xfe && first[1] === 0xff) return 'utf-16be';
  const even = first.filter((byte, index) => byte === 0 && index % 2 === 0).length;
  const odd = first.filter((byte, index) => byte === 0 && index % 2 === 1).length;
  const most = first.length / 4;
  if (odd > most && even <= odd / 10) return 'utf-16le';
  return even > most && odd <= even / 10 ? 'utf-16be' : null;
}

const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [
    /^PK\p{Cc}{2}/u,
    'The file is a ZIP, such as an XLSX or ODS, not text. Send an XLSX as such (.xlsx), anything else as CSV.',
  ],
  [
    /^\u00d0\u00cf\p{Cc}\u00e0/u,
    'The file is an old Excel file (.xls), or one with a password. Save it as .xlsx or CSV, without a password.',
  ],
  [/^%PDF-/, 'The file is a PDF. The rows of a batch are CSV, XLSX, JSON or JSON Lines.'],
  [
    /^\s*(<!doctype\s+html|<html|<head|<table|<meta)/i,
    'The file is HTML, though it may be called .csv or .xls. Open it in a spreadsheet program and save it as .xlsx or CSV.',
  ],
  [/^\s*<\?xml|^\s*<\w+:?Workbook/i, 'The file is XML. Save it as .xlsx or CSV.'],
  [
    /^\{\\rtf/,
    'The file is a text document (RTF). The rows of a batch are CSV, XLSX, JSON or JSON Lines.',
  ],
  [
    /^\u00ff\u00d8\u00ff|^\u0089PNG|^GIF8|^\p{Cc}\u008b|^7z\u00bc\u00af|^Rar!|^SQLite format 3|^PAR1/u,
    'The file is no table of text: it is a picture, an archive or a database. Send CSV, XLSX, JSON or JSON Lines.',
  ],
];

/** A sentence where the file is something else; null where it may be text. */
function foreign(first: Uint8Array): string | null {
  const text = Buffer.from(first)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '');
  return SIGNATURES.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
