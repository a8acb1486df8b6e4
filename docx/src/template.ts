import { compileFile, type Compiled } from './compile/compile.ts';
import type { Numbering } from './compile/numbering.ts';
import { type Op, sizeOf } from './compile/ops/ops.ts';
import type { CompiledPart } from './compile/part.ts';
import type { FieldUse } from './compile/ops/uses.ts';
import { type DataProblem, throwing, TemplateError } from './errors.ts';
import { canonicalLocale, isTimeZone } from './helpers/format.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { createDraw } from './merge/draw.ts';
import { collectImages, hasImages } from './merge/images.ts';
import { type Media, createMedia } from './merge/media.ts';
import { type Output, createOutput } from './merge/output.ts';
import { createProblems } from './merge/problems.ts';
import { type Counters, run } from './merge/run.ts';
import { createScope } from './merge/scope.ts';
import { XML_HEAD } from './package/open.ts';
import { type StaticFiles, relates, staticFiles } from './package/static.ts';
import { hasTaggedAddress, relationshipsPath } from './package/relationships.ts';
import { deflated, stored, writeZip } from '@millrace/zip';

export interface CompileOptions {
  readonly limits?: Partial<Limits>;
}

export interface MergeOptions {
  /** `de-DE` or `de_DE`; `en-US` unless said. */
  readonly locale?: string;
  /** `Europe/Berlin`; `UTC` unless said. */
  readonly timeZone?: string;
  /** A field that the data lacks is an error instead of empty. */
  readonly strict?: boolean;
  /**
   * For rows of a spreadsheet, where everything may be text: how its numbers and dates are written. Text that a tag
   * shows as a date, number or currency is read so, and what cannot be read is an error, never printed as it came.
   */
  readonly dataLocale?: string;
  /** The bytes of each address that `imagesNeeded` named. */
  readonly images?: ReadonlyMap<string, Uint8Array>;
  readonly limits?: Partial<Limits>;
}

export interface Template {
  readonly fields: readonly FieldUse[];
  readonly fonts: readonly string[];
  /** Bytes that it holds in memory. */
  readonly size: number;
  /** The parts that were removed because they reach outside the file. */
  readonly stripped: readonly { readonly part: string; readonly what: string }[];
  /** Without any, `imagesNeeded` names none, whatever the data. */
  readonly hasImages: boolean;
  /** The merged DOCX. Synchronous; equal input gives equal bytes. A TemplateError has all that is wrong with the data. */
  merge(data: unknown, options?: MergeOptions): Uint8Array;
  /**
   * The problems that `merge` would refuse the data for, without making the document. Images by their address are not looked at, since nobody
   * has fetched them.
   */
  problems(data: unknown, options?: Omit<MergeOptions, 'images'>): readonly DataProblem[];
  /** The addresses of the images that the data asks for: fetch them first, and give them to `merge`. */
  imagesNeeded(data: unknown, options?: Pick<MergeOptions, 'dataLocale'>): string[];
}

/** Compiles a template once, by an engine of our own (docs/decisions/0040-docx-engine.md). Throws a TemplateError that names the first thing wrong with it. */
export function compile(bytes: Uint8Array, options: CompileOptions = {}): Template {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { plan, ...facts } = prepare(compileFile(bytes, limits, throwing));
  return {
    ...facts,
    merge: (data, mergeOptions = {}) => packed(plan, fill(plan, data, mergeOptions, limits)),
    problems: (data, mergeOptions = {}) => problemsOf(() => fill(plan, data, mergeOptions, limits)),
    imagesNeeded: (data, { dataLocale } = {}) => {
      const ops = plan.parts.flatMap((part) => part.ops);
      const read = dataLocale && checkedLocale({ locale: dataLocale }).locale;
      return collectImages(ops, data, limits, read);
    },
  };
}

/** Apart from `compile`, so that no closure keeps the parsed file alive: only what a merge writes stays. */
function prepare(compiled: Compiled): Pick<
  Template,
  'fields' | 'fonts' | 'stripped' | 'size' | 'hasImages'
> & {
  readonly plan: Plan;
} {
  const { parts, fonts, stripped, highestId, textWidth, strictFormat } = compiled;
  const files = staticFiles(compiled);
  const plan: Plan = {
    files,
    parts: parts.filter(({ dynamic }) => dynamic).map((part) => planPart(part, compiled)),
    highestId,
    textWidth,
    strictFormat,
    mediaPrefix: freePrefix(compiled),
    headingStyles: compiled.styles.ids,
    numbering: parts.some(({ restartsLists }) => restartsLists) ? compiled.numbering : undefined,
  };
  const { body, directory } = files.prefix;
  const size = plan.parts.reduce(
    (sum, { ops }) => sum + sizeOf(ops),
    body.length + directory.length,
  );
  const draws = plan.parts.some(({ ops }) => hasImages(ops));
  const fields = parts.flatMap(({ uses }) => uses);
  return { plan, fields, fonts, stripped, size, hasImages: draws };
}

interface PlannedPart {
  readonly name: string;
  readonly ops: readonly Op[];
  readonly relationships: Compiled['file']['main']['relationships'];
  readonly relates: boolean;
}

interface Plan {
  readonly files: StaticFiles;
  readonly parts: readonly PlannedPart[];
  readonly highestId: number;
  readonly textWidth: number;
  readonly strictFormat: boolean;
  readonly mediaPrefix: string;
  readonly headingStyles: ReadonlySet<string>;
  /** Only when lists begin again in loops. */
  readonly numbering: Numbering | undefined;
}

function freePrefix({ file }: Compiled): string {
  let prefix = 'word/media/millrace';
  while ([...file.parts.keys()].some((key) => key.startsWith(prefix))) prefix += '_';
  return prefix;
}

function planPart({ name, ops, draws }: CompiledPart, { file }: Compiled): PlannedPart {
  const related = file.parts.get(name.toLowerCase())?.relationships ?? [];
  const relationships = related.filter((relation) => !hasTaggedAddress(relation));
  return { name, ops, relationships, relates: relates(draws) };
}

const HEAD = Buffer.from(XML_HEAD);

/** The parts that the data decides, one behind the other in the output's buffer: until the next one is filled. */
interface Filled {
  readonly out: Output;
  readonly media: Media;
  readonly counters: Counters;
  readonly pieces: readonly { readonly name: string; readonly from: number; readonly to: number }[];
  readonly relations: readonly { readonly name: string; readonly xml: string }[];
}

function fill(plan: Plan, data: unknown, options: MergeOptions, compileLimits: Limits): Filled {
  const limits = { ...compileLimits, ...options.limits };
  const { locale, timeZone } = checkedLocale(options);
  const dataLocale = options.dataLocale && checkedLocale({ locale: options.dataLocale }).locale;
  const out = createOutput(limits.outputBytes);
  const { strictFormat, mediaPrefix } = plan;
  const media = createMedia({ strictFormat, prefix: mediaPrefix, limit: limits.outputBytes });
  const counters: Counters = {
    nextId: plan.highestId + 1,
    nextListId: (plan.numbering?.highestId ?? 0) + 1,
    iterations: 0,
    addedLists: [],
    notes: [],
  };
  const scope = createScope(data);
  const problems = createProblems();
  const pieces: { name: string; from: number; to: number }[] = [];
  const relations: { name: string; xml: string }[] = [];
  for (const { name, ops, relationships, relates: hasOwn } of plan.parts) {
    const part = media.part(relationships);
    const { textWidth, headingStyles } = plan;
    const images = options.images ?? new Map<string, Uint8Array>();
    const draw = createDraw({ media, part, images, textWidth, strictFormat, headingStyles });
    const from = out.position();
    out.bytes(HEAD);
    run(ops, {
      out,
      limits,
      counters,
      draw,
      scope,
      problems,
      dataLocale,
      locale,
      timeZone,
      strict: options.strict ?? false,
      relate: (target) => part.relate('hyperlink', target),
      last: 'start',
      noteId: 0,
      turns: [],
      ranges: [],
      lists: [],
      columns: [],
      columnCount: 1,
      breakEnd: -1,
    });
    pieces.push({ name, from, to: out.position() });
    if (hasOwn) relations.push({ name: relationshipsPath(name), xml: part.xml() });
  }
  problems.end();
  return { out, media, counters, pieces, relations };
}

function packed(plan: Plan, { out, media, counters, pieces, relations }: Filled): Uint8Array {
  const files = pieces.map(({ name, from, to }) => deflated(name, out.view(from, to), 1));
  if (plan.numbering) {
    const { name, withLists } = plan.numbering;
    files.push(deflated(name, withLists(counters.addedLists), 1));
  }
  for (const { name, picture } of media.files) {
    files.push(
      picture.ending === 'svg' ? deflated(name, picture.bytes, 1) : stored(name, picture.bytes),
    );
  }
  for (const { name, xml } of relations) files.push(deflated(name, Buffer.from(xml), 1));
  return writeZip(files, plan.files.prefix);
}

function problemsOf(filling: () => unknown): readonly DataProblem[] {
  try {
    filling();
    return [];
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error.problems.filter(({ code }) => code !== 'image_not_given');
  }
}

function checkedLocale(options: MergeOptions): { locale: string; timeZone: string } {
  const locale = canonicalLocale(options.locale ?? 'en-US');
  const timeZone = options.timeZone ?? 'UTC';
  if (locale === undefined) {
    throw new TemplateError(
      'bad_locale',
      `"${options.locale ?? ''}" is no locale; write it like de-DE.`,
    );
  }
  if (!isTimeZone(timeZone)) {
    throw new TemplateError(
      'bad_locale',
      `"${timeZone}" is no time zone; write it like Europe/Berlin.`,
    );
  }
  return { locale, timeZone };
}
