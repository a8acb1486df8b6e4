import { keysOf, keysOfColumn, pathOf } from '@millrace/docx';

/** File names: what people may ask for, and what is safe on any system that will ever save the file. */

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  zip: 'application/zip',
  png: 'image/png',
  csv: 'text/csv',
  json: 'application/json',
  txt: 'text/plain',
};

export type Ending = 'pdf' | 'docx' | 'zip' | 'png';

export function mediaTypeOf(name: string): string {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(MEDIA_TYPES, ending) ? (MEDIA_TYPES[ending] ?? OTHER_MEDIA) : OTHER_MEDIA;
}

const OTHER_MEDIA = 'application/octet-stream';
/** Windows, macOS and Linux take 255 bytes; a browser may add " (1)". */
const LONGEST_BYTES = 200;
/** At each end of a name, which a row may fill in: the patterns below would look at a longer one again and again. */
const LOOKED_AT = 1_000;
/** Control characters, what turns the reading direction, and zero-width ones: they make a name look like another. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const FORBIDDEN = /[<>:"|?*]/g;
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** From a root or a drive, or over a folder above. */
const PATH = /^(?:[/\\.~]|[A-Za-z]:[/\\])|(?:^|[/\\])\.\.?(?:[/\\]|$)/;

/** Without path parts, control characters, or anything else that a file system would trip over. */
export function safeName(asked: string, fallback = 'document'): string {
  const whole = asked.toWellFormed().normalize('NFC').trim();
  // "Rechnung 2026/0417" is a name with a slash, and keeps all of it.
  const last = PATH.test(whole)
    ? (whole.split(/[/\\]/).at(-1) ?? '')
    : whole.replace(/[/\\]/g, '-');
  const clean = ends(last)
    .replace(INVISIBLE, '')
    .replace(FORBIDDEN, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '');
  if (clean === '') return fallback;
  return shortened(DEVICES.test(clean) ? `_${clean}` : clean);
}

function ends(name: string): string {
  if (name.length <= 2 * LOOKED_AT) return name;
  return name.slice(0, LOOKED_AT) + name.slice(-LOOKED_AT);
}

/** With the ending that the file has, whatever the asker wrote. */
export function outputName(asked: string, ending: Ending): string {
  const name = safeName(asked);
  const stem = name.replace(/\.(pdf|docx)$/i, '') || 'document';
  return shortened(`${stem}.${ending}`);
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_BYTES) return name;
  const ending = /\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? '';
  let room = LONGEST_BYTES - ending.length;
  let stem = '';
  for (const character of name.slice(0, name.length - ending.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return `${stem.trimEnd()}${ending}`;
}

/** `a.pdf`, `a (2).pdf`: names in one folder, also where upper and lower case are the same. */
export function uniqueNames(): (name: string) => string {
  const taken = new Set<string>();
  const nextOf = new Map<string, number>();
  return (name) => {
    const [, stem = name, ending = ''] = /^(.*?)(\.[a-z0-9]+)?$/is.exec(name) ?? [];
    const key = name.toLowerCase();
    let candidate = name;
    for (let n = nextOf.get(key) ?? 2; taken.has(candidate.toLowerCase()); n++) {
      candidate = `${stem} (${n})${ending}`;
      nextOf.set(key, n + 1);
    }
    taken.add(candidate.toLowerCase());
    return candidate;
  };
}

/** `Invoice {{Account.Name}} {{[First Name]}} {{@number}}`: fields of the row, own ones only; what is missing is empty. */
export function nameFromRow(pattern: string, row: unknown, number: number): string {
  return fromRow(pattern, row, number, (value) => value.replace(/[/\\]/g, '_'));
}

/** Of the row: `Invoice {{Number}} {{@number}}` names one. */
export function fieldsNamed(pattern: string): string[] {
  return [...pattern.matchAll(NAMED)].flatMap(([, inner = '']) => {
    const path = inner.trim();
    return path === '@number' ? [] : [pathOf(keysIn(path))];
  });
}

/** As a column is named, or as a tag names it: `Nr.`, `[Nr.]`. */
function keysIn(path: string): string[] {
  return path.includes('[') ? keysOf(path) : keysOfColumn(path);
}

const NAMED = /\{\{([^{}]+)\}\}/g;

export function fromRow(
  pattern: string,
  row: unknown,
  number: number,
  shown: (value: string) => string = (value) => value,
): string {
  return pattern.replace(NAMED, (_, inner: string) => {
    const path = inner.trim();
    if (path === '@number') return String(number);
    const value = follow(row, keysIn(path));
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? shown(String(value))
      : '';
  });
}

export function follow(from: unknown, path: readonly string[]): unknown {
  let value = from;
  for (const key of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
