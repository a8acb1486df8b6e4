import { compileFile } from '../compile/compile.ts';
import { type Problem, TemplateError, throwing } from '../errors.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { lint, type LintOptions } from '../lint.ts';
import { decodeXml } from '../xml/encoding.ts';
import { compile } from '../template.ts';
import { readZip, unpack } from '../package/zip.ts';
import { FILLED, paragraphsOf } from './texts.ts';
import type { FieldUse } from '../compile/ops/uses.ts';
import { stepsOf } from '../paths.ts';

/** How far a file got on the way of a template. */
export interface Trial {
  readonly problems: readonly Problem[];
  readonly failure: TrialFailure | null;
  readonly compiled: boolean;
  /** Text of the template that the merged document lacks; the first few pieces of it. */
  readonly lost: readonly string[];
  /** Merged from made-up data. */
  readonly docx: Uint8Array<ArrayBuffer> | null;
}

export interface TrialFailure {
  readonly step: 'lint' | 'compile' | 'merge';
  /** Null for what nobody meant to throw: a fault of ours, not of the file. */
  readonly code: string | null;
  readonly message: string;
}

const SHOWN = 20;

/** Lints and compiles a file and merges it with data made up from its own fields. Throws nothing. */
export function tryOut(bytes: Uint8Array, options: LintOptions = {}): Trial {
  let step: TrialFailure['step'] = 'lint';
  let problems: readonly Problem[] = [];
  let compiled = false;
  try {
    ({ problems } = lint(bytes, options));
    step = 'compile';
    const template = compile(bytes);
    compiled = true;
    step = 'merge';
    const data = madeUpData(template.fields);
    const picture = Buffer.from(PICTURE, 'base64');
    const images = new Map(template.imagesNeeded(data).map((url) => [url, picture]));
    const docx = new Uint8Array(template.merge(data, { images }));
    return { problems, compiled, failure: null, lost: lostBetween(bytes, docx), docx };
  } catch (thrown) {
    return { ...failedTrial(step, thrown), problems, compiled };
  }
}

export function failedTrial(step: TrialFailure['step'], thrown: unknown): Trial {
  const failure = failureOf(step, thrown);
  return { problems: [], compiled: false, failure, lost: [], docx: null };
}

function lostBetween(template: Uint8Array, docx: Uint8Array): string[] {
  const { parts } = compileFile(template, DEFAULT_LIMITS, throwing);
  const [before, after] = [xmlOf(template), xmlOf(docx)];
  return parts
    .flatMap(({ name }) => lostText(before(name), after(name)))
    .slice(0, SHOWN)
    .map((text) => text.slice(0, 200));
}

function xmlOf(file: Uint8Array): (part: string) => string {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const entries = readZip(bytes, DEFAULT_LIMITS);
  return (part) => {
    const entry = entries.find(({ name }) => name === part);
    return entry ? decodeXml(unpack(entry, DEFAULT_LIMITS.inflatedBytes), part).text : '';
  };
}

function failureOf(step: TrialFailure['step'], thrown: unknown): TrialFailure {
  if (thrown instanceof TemplateError) return { step, code: thrown.code, message: thrown.message };
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return { step, code: null, message };
}

/** Pieces of a template's text that are not in what was merged from it. Tags are left out, and so are spaces. */
export function lostText(template: string, merged: string): string[] {
  const there = paragraphsOf(merged).map(solid).join('\n');
  return piecesOf(paragraphsOf(template)).filter((piece) => !there.includes(solid(piece)));
}

/**
 * Text that every merge must show: that between the tags, but for what a condition or an {{else}} may leave out. Loops
 * count, since made-up lists are never empty.
 */
function piecesOf(paragraphs: readonly string[]): string[] {
  const blocks: { optional: boolean }[] = [];
  const pieces: string[] = [];
  for (const paragraph of paragraphs.flatMap((text) => text.split(FILLED))) {
    for (const [, tag, text = ''] of paragraph.matchAll(TAG_OR_TEXT)) {
      if (tag === undefined) {
        if (solid(text) !== '' && !blocks.some(({ optional }) => optional))
          pieces.push(text.trim());
        continue;
      }
      const word = /^[#/^]?\s*\w+/.exec(tag.trimStart())?.[0].replaceAll(/\s/g, '') ?? '';
      if (word.startsWith('#')) blocks.push({ optional: word !== '#each' });
      else if (word.startsWith('/')) blocks.pop();
      else if (word === 'else' && blocks.length > 0) blocks[blocks.length - 1] = { optional: true };
    }
  }
  return pieces;
}

/**
 * `\{{` prints braces and is no tag. A tag that is not closed takes the rest: it stands in an equation, where it is not
 * filled.
 */
const TAG_OR_TEXT = /\\\{\{|\{\{([^]*?)(?:\}\}|$)|((?:(?!\\?\{\{)[^])+)/g;

function solid(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

/** Data with everything that a template asks for, twice where it is a list. */
export function madeUpData(fields: readonly FieldUse[]): unknown {
  const root = emptyPlace();
  for (const { path, kind } of fields) {
    let place = root;
    for (const { key, lists } of stepsOf(path)) {
      if (key !== '') place = within(place, key);
      for (let n = 0; n < lists; n++) place = place.items ??= emptyPlace();
    }
    place.kinds.add(kind);
  }
  return valueOf(root, true);
}

interface DataPlace {
  readonly fields: Map<string, DataPlace>;
  readonly kinds: Set<FieldUse['kind']>;
  items: DataPlace | null;
}

function emptyPlace(): DataPlace {
  return { fields: new Map(), kinds: new Set(), items: null };
}

function within({ fields }: DataPlace, key: string): DataPlace {
  const known = fields.get(key) ?? emptyPlace();
  fields.set(key, known);
  return known;
}

/** A number can be shown, added, formatted and read as a moment: whatever a tag does, it can do it with this. */
const ANYTHING = 12;

/** {{currency Amount Currency}}: what is called so is a code, and no number is one. */
const CURRENCY = /currency/i;

/** One grey pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

function valueOf({ fields, kinds, items }: DataPlace, isRoot = false): unknown {
  if (items !== null || (kinds.has('list') && fields.size === 0)) {
    const item = items === null ? ANYTHING : valueOf(items);
    return [item, item];
  }
  if (fields.size > 0 || isRoot)
    return Object.fromEntries(
      [...fields].map(([key, place]) => [key, CURRENCY.test(key) ? 'EUR' : valueOf(place)]),
    );
  return kinds.has('image') ? PICTURE : ANYTHING;
}
