import { type Compiled, compileFile } from './compile/compile.ts';
import type { FieldUse } from './compile/ops/uses.ts';
import { SIZES } from './compile/tags/checks.ts';
import { type Place, type Problem, TemplateError, asProblem } from './errors.ts';
import { foreignTags } from './foreign-tags.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { keyInTag } from './paths.ts';
import { decode } from './xml/text.ts';
import type { Token } from './xml/tokenizer.ts';
import { type Shape, names, nearest, shapeOfSample, shapeOfSchema, unknownAt } from './shape.ts';

export interface LintOptions {
  /** Data as the template would get it: paths that it lacks are reported. */
  readonly sample?: unknown;
  /** A JSON Schema of the data (`properties`, `items`, `$ref` within it, `anyOf` and the like). */
  readonly schema?: unknown;
  /** The fonts of the machine that converts; without them none is reported as missing. */
  readonly installedFonts?: readonly string[];
  readonly limits?: Partial<Limits>;
}

export interface BlockUse extends Place {
  readonly kind: 'each' | 'if' | 'unless';
  readonly source: string;
  /** The elements that it repeats or removes. */
  readonly level: 'inline' | 'paragraph' | 'row' | 'column';
}

export interface LintReport {
  /** No errors; warnings may be there. */
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  /** The first thousand, as of the blocks. */
  readonly fields: readonly FieldUse[];
  readonly blocks: readonly BlockUse[];
  readonly fonts: readonly string[];
  readonly missingFonts: readonly string[];
}

/** Nobody reads more, and a part can hold millions of `{{`. */
const MOST_PROBLEMS = 1_000;

/**
 * The most fields and the most blocks: 20,000 of them are 3.8 MB, which kept whoever hands a report on from all else for 130 to 280 ms.
 * A compiled template has all of its fields.
 */
const MOST_LISTED = 1_000;

/** Lists all that is in a template and all that is wrong with it. Never throws for a bad template. */
export function lint(bytes: Uint8Array, options: LintOptions = {}): LintReport {
  let problems: Problem[] = [];
  let compiled: Compiled | undefined;
  try {
    compiled = compileFile(
      bytes,
      { ...DEFAULT_LIMITS, ...options.limits },
      (code, message, place = {}) => {
        problems.push({ severity: 'error', code, message, ...place });
        if (problems.length < MOST_PROBLEMS) return;
        const more = `There are more than ${MOST_PROBLEMS} problems: these are the first.`;
        throw new TemplateError('too_many_problems', more);
      },
    );
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    problems.push(asProblem(error));
  }
  const fields = compiled?.parts.flatMap(({ uses }) => uses) ?? [];
  const fonts = compiled?.fonts ?? [];
  if (compiled) {
    problems = [
      ...problems,
      ...unknownPaths(fields, options),
      ...namesInBoth(fields, options),
      ...strippedContent(compiled),
      ...strayTags(compiled),
      ...sizesFromData(compiled, options),
      ...compiled.parts
        .flatMap(({ unfilledFields }) => unfilledFields)
        .map(({ message, place }) => warning('field_not_filled', message, place)),
      ...compiled.parts
        .flatMap(({ ignoredSwitches }) => ignoredSwitches)
        .map(({ message, place }) => warning('switch_not_followed', message, place)),
      ...foreignTags(compiled.parts).map(({ message, place }) =>
        warning('foreign_tag', message, place),
      ),
    ];
  }
  const blocks = compiled ? blocksOf(compiled) : [];
  const report: LintReport = {
    ok: !problems.some(({ severity }) => severity === 'error'),
    problems: [...unique(problems).slice(0, MOST_PROBLEMS + 1), ...shortened(fields, blocks)],
    fields: fields.slice(0, MOST_LISTED),
    blocks: blocks.slice(0, MOST_LISTED),
    fonts,
    missingFonts: [],
  };
  return withInstalledFonts(report, options.installedFonts);
}

function shortened(fields: readonly FieldUse[], blocks: readonly BlockUse[]): Problem[] {
  if (fields.length <= MOST_LISTED && blocks.length <= MOST_LISTED) return [];
  const message = `The template has ${fields.length} fields and ${blocks.length} blocks: the report lists the first ${MOST_LISTED} of each.`;
  return [warning('report_shortened', message)];
}

/** All else in a report comes from the template alone, and can be kept with it; fonts are those of one machine. */
export function withInstalledFonts(
  report: LintReport,
  installed: readonly string[] | undefined,
): LintReport {
  const missingFonts = missing(report.fonts, installed);
  const warnings = missingFonts.map((font) =>
    warning('missing_font', `The font "${font}" is not installed: another one will be taken.`),
  );
  return { ...report, missingFonts, problems: [...report.problems, ...warnings] };
}

/** On a template of which nothing is known but why it was refused. */
export function reportOf(error: TemplateError): LintReport {
  const problems = [asProblem(error)];
  return { ok: false, problems, fields: [], blocks: [], fonts: [], missingFonts: [] };
}

function warning(code: string, message: string, place: Partial<Place> = {}): Problem {
  return { severity: 'warning', code, message, ...place };
}

/** A text box is in the file twice: what is wrong with it is said once. */
function unique(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ code, message, part, paragraph }) => {
    const key = `${code} ${message} ${part ?? ''} ${paragraph ?? ''}`;
    return !seen.has(key) && seen.add(key);
  });
}

function blocksOf({ parts }: Compiled): BlockUse[] {
  const found = new Map<string, BlockUse>();
  for (const { open, name, level } of parts.flatMap(({ blocks }) => blocks)) {
    const { part, paragraph, snippet } = open.place;
    const use: BlockUse = { kind: name, source: open.source, level, part, paragraph, snippet };
    found.set(`${use.source} ${part} ${paragraph} ${snippet}`, use);
  }
  return [...found.values()];
}

/** The known fields of the data, and where they are known from. */
function shapesOf({ sample, schema }: LintOptions): [Shape, string][] {
  const shapes: [Shape, string][] = [];
  if (schema !== undefined) shapes.push([shapeOfSchema(schema), 'the schema']);
  if (sample !== undefined) shapes.push([shapeOfSample(sample), 'the sample']);
  return shapes;
}

function unknownPaths(fields: readonly FieldUse[], options: LintOptions): Problem[] {
  const problems: Problem[] = [];
  for (const [shape, where] of shapesOf(options)) {
    for (const { path, outer = [], part, paragraph, snippet } of fields) {
      const unknown = unknownAt(shape, path);
      if (unknown === undefined || outer.some((other) => unknownAt(shape, other) === undefined))
        continue;
      const isHinted = problems.length < MOST_HINTS;
      const hint = isHinted ? hintFor(unknown.key, unknown.known) : undefined;
      const did = hint === undefined ? '' : ` Did you mean "${keyInTag(hint)}"?`;
      const message = `"${path}" is not in ${where}.${did}`;
      problems.push({ severity: 'error', code: 'unknown_path', message, part, paragraph, snippet });
    }
  }
  return problems;
}

/** An item that lacks a field shows the one further out, which is not always meant. */
function namesInBoth(fields: readonly FieldUse[], options: LintOptions): Problem[] {
  return shapesOf(options).flatMap(([shape]) =>
    fields.flatMap(({ path, outer = [], part, paragraph, snippet }) => {
      const other = names(shape, path) ? outer.find((one) => names(shape, one)) : undefined;
      if (other === undefined) return [];
      const name = path.slice(path.lastIndexOf('[].') + 3);
      const message = `An item of the list without "${name}" shows that from further out: the data has "${path}" and "${other}". Write {{this.${name}}} for the item alone.`;
      return [warning('name_in_both', message, { part, paragraph, snippet })];
    }),
  );
}

/** A bare word is a field: with a sample or a schema it is looked up like every other, and without one it may be a slip. */
function sizesFromData({ parts }: Compiled, { sample, schema }: LintOptions): Problem[] {
  if (sample !== undefined || schema !== undefined) return [];
  return parts.flatMap(({ tags }) =>
    tags.flatMap(({ parsed, place }) => {
      if (parsed.kind !== 'value' || parsed.value.kind !== 'call') return [];
      const { named } = parsed.value;
      return SIZES.flatMap((option) => {
        const asked = named.get(option);
        if (asked?.kind !== 'path') return [];
        const message = `${option}=${asked.text} takes the length from the field "${asked.text}". A length itself is written like ${option}=4cm.`;
        return [warning('size_from_data', message, place)];
      });
    }),
  );
}

/** Each hint compares many names. */
const MOST_HINTS = 50;
const MOST_NAMES = 20_000;

function hintFor(key: string, known: Iterable<string>): string | undefined {
  return nearest(key, known) ?? spaced(key, known);
}

/** `{{currency Net Amount}}` asks for "Net", where the data has "Net Amount". */
function spaced(key: string, known: Iterable<string>): string | undefined {
  const start = `${key.toLowerCase()} `;
  let looked = 0;
  for (const name of known) {
    if (name.slice(0, start.length).toLowerCase() === start) return name;
    looked += 1;
    if (looked === MOST_NAMES) return undefined;
  }
  return undefined;
}

function strippedContent({ stripped }: Compiled): Problem[] {
  return stripped.map(({ part, what }) =>
    warning(
      'stripped',
      `${what} is left out: it reaches outside the file or is nothing that a document may hold.`,
      { part },
    ),
  );
}

/** Charts and diagrams are copied as they are. */
function strayTags({ file, parts }: Compiled): Problem[] {
  const compiledNames = new Set(parts.map(({ name }) => name));
  const problems = parts
    .flatMap(({ unfilled }) => unfilled)
    .map((place) =>
      warning(
        'tag_not_filled',
        'A tag stands in an equation or a drawing, where it is not filled.',
        place,
      ),
    );
  for (const part of file.parts.values()) {
    if (compiledNames.has(part.name) || !part.name.startsWith('word/')) continue;
    const text = wordsOf(part.tokens ?? []);
    const at = text.indexOf('{{');
    if (at === -1) continue;
    const message = `${part.name} holds a tag, but tags are only filled in text, headers, footers and notes.`;
    problems.push(
      warning('tag_not_filled', message, { part: part.name, snippet: text.slice(at, at + 80) }),
    );
  }
  return problems;
}

/** All texts of a part joined: a chart's title may have its tag in several runs. */
function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .filter(({ kind }) => kind === 'text')
    .map(({ raw }) => decode(raw))
    .join('');
}

/** Fonts that every converter replaces by ones of the same width. */
const METRIC_TWINS: Readonly<Record<string, string>> = {
  arial: 'liberation sans',
  'times new roman': 'liberation serif',
  'courier new': 'liberation mono',
  calibri: 'carlito',
  cambria: 'caladea',
};

function missing(fonts: readonly string[], installed: readonly string[] | undefined): string[] {
  if (installed === undefined) return [];
  const there = new Set(installed.map((font) => font.toLowerCase()));
  return fonts.filter((font) => {
    const name = font.toLowerCase();
    return !there.has(name) && !there.has(METRIC_TWINS[name] ?? name);
  });
}
