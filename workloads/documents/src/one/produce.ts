import { type FieldUse, missingFields } from '@millrace/docx';
import { type Conversion, type Office, OfficeError, type OnTurn } from '@millrace/office';
import { sha256 } from './canonical.ts';
import { type Content, type ContentStore, putContent } from '../files/contents.ts';
import { type Envelope } from '../contract/envelope.ts';
import { officeOptions } from './request.ts';
import { fromOfficeError, refusalOf, storing } from '../errors.ts';
import { type ImageRules, fetchImages } from './images.ts';
import { outputName } from './names.ts';
import { type Pause, type Stopwatch, type Timings, createTimings } from '../observe.ts';
import { type Outputs, outputKey } from './outputs.ts';
import type { Compiled } from '../templates/compiled.ts';
import { notFound } from '../templates/refusals.ts';
import { type Templates, mayUse } from '../templates/templates.ts';

/**
 * One document, top to bottom: template → images → is it there already? → merge → convert → store. It gives bytes
 * in the database; who calls gives them names.
 */
export interface Produced {
  readonly templateId: string;
  /** What the template asks for. */
  readonly fields: readonly FieldUse[];
  readonly output: Stored;
  readonly docx: Stored | null;
  /** The bytes were there already. */
  readonly cached: boolean;
  readonly templateCached: boolean;
  /** What is not in the PDF as it should be, in sentences. Such a PDF is not kept for the next caller. */
  readonly warnings: readonly string[];
  readonly timings: () => Timings;
  readonly step: ReturnType<typeof createTimings>['step'];
  /** The merged DOCX, made again where it was not kept. */
  readonly merged: () => Promise<Uint8Array>;
}

/** With its bytes where they have just been made. */
export type Stored = Pick<Content, 'seq' | 'size'> & { readonly bytes: Uint8Array | null };

export type OfficeLike = Pick<Office, 'convert' | 'check'> & Partial<Pick<Office, 'thumbnail'>>;

export interface Workshop extends ContentStore {
  readonly templates: Templates;
  readonly outputs: Outputs;
  readonly office: OfficeLike;
  readonly images: ImageRules | undefined;
  readonly clock: Stopwatch;
  /** Of what merges: part of the output cache's key. */
  readonly build: string;
}

export interface ProduceOptions {
  readonly tenant: string;
  readonly lane: 'interactive' | 'batch';
  readonly signal?: AbortSignal | undefined;
  readonly correlationId?: string | undefined;
  /** The job's: what it waits for a process of the office is not its own time. */
  readonly pauseTimeout?: Pause | undefined;
}

/** Whose document it is: part of the output cache's key. */
interface OfSomebody {
  readonly submitter: string | null;
}

export async function produce(
  workshop: Workshop,
  envelope: Envelope,
  options: ProduceOptions & OfSomebody,
): Promise<Produced> {
  const { templates, outputs } = workshop;
  const { step, pause, timings } = createTimings(workshop.clock);
  const compiled = await step('template', () =>
    templates.compiled(envelope.templateId, options.tenant, options.correlationId),
  );
  // Also of a job, whose data names any template.
  if (!mayUse(compiled.info, options.submitter)) throw notFound(envelope.templateId);
  const images = await step('merge', () => prepare(workshop, compiled, envelope, options));
  const key = await keyOf(workshop, compiled, envelope, options, images);
  const merged = once(() => merge(compiled, envelope, images));
  const result = {
    templateId: compiled.info.id,
    fields: compiled.template.fields,
    templateCached: compiled.hit,
    merged,
    step,
    timings,
  };

  const there = await step('store', () => outputs.find(key));
  if (there !== null)
    return {
      ...result,
      cached: true,
      warnings: [],
      output: { ...there.output, bytes: null },
      docx: there.docx && { ...there.docx, bytes: null },
    };

  const rendered = await render(workshop, envelope, options, { step, pause, merged });
  const stored = await step('store', () => keep(workshop, key, rendered));
  return { ...result, cached: false, warnings: rendered.warnings, ...stored };
}

/** A document whose bytes the caller keeps. */
export interface Made {
  readonly templateId: string;
  readonly output: Uint8Array;
  readonly docx: Uint8Array | null;
  readonly warnings: readonly string[];
  readonly timings: Timings;
}

/** Options of `make`: the job counts the document, when its end is written. */
export type MakeOptions = ProduceOptions & { readonly job: string };

/** As `produce`, without cache and storage: for documents whose home is elsewhere. */
export async function make(
  workshop: Workshop,
  envelope: Envelope,
  options: ProduceOptions,
): Promise<Made> {
  const { step, pause, timings } = createTimings(workshop.clock);
  const compiled = await step('template', () =>
    workshop.templates.compiled(envelope.templateId, options.tenant, options.correlationId),
  );
  if (!mayUse(compiled.info, null)) throw notFound(envelope.templateId);
  const images = await step('merge', () => prepare(workshop, compiled, envelope, options));
  const merged = (): Promise<Uint8Array> => merge(compiled, envelope, images);
  const { output, docx, warnings } = await render(workshop, envelope, options, {
    step,
    pause,
    merged,
  });
  const missing = missingFields(compiled.template.fields, envelope.data);
  return {
    output,
    docx,
    warnings: [...(missing === null ? [] : [missing]), ...warnings],
    templateId: compiled.info.id,
    timings: timings(),
  };
}

interface Rendered {
  readonly output: Uint8Array;
  readonly docx: Uint8Array | null;
  readonly warnings: readonly string[];
  /** The same request gives the same bytes: its own name is not printed on it, and it lacks nothing. */
  readonly reusable: boolean;
}

async function render(
  workshop: Workshop,
  envelope: Envelope,
  options: ProduceOptions,
  { step, pause, merged }: Pick<Produced, 'step' | 'merged'> & { readonly pause: Pause },
): Promise<Rendered> {
  options.signal?.throwIfAborted();
  const docx = await step('merge', merged);
  if (envelope.outputFormat === 'DOCX')
    return { output: docx, docx: null, warnings: [], reusable: true };
  const { pdf, missingCharacters, printsName } = await step('convert', () =>
    convert(workshop, docx, envelope, {
      ...options,
      pauses: [pause, ...(options.pauseTimeout === undefined ? [] : [options.pauseTimeout])],
    }),
  );
  options.signal?.throwIfAborted();
  const warnings = missingCharacters === undefined ? [] : [withoutFont(missingCharacters)];
  return {
    output: pdf,
    docx: envelope.options.storeMergedDocx ? docx : null,
    warnings,
    reusable: warnings.length === 0 && printsName !== true,
  };
}

function withoutFont(characters: readonly string[]): string {
  const named = characters.map((character) => {
    const point = character.codePointAt(0) ?? 0;
    return `${character} (U+${point.toString(16).toUpperCase().padStart(4, '0')})`;
  });
  return `No font of the server has these characters, which are boxes in the PDF: ${named.join(', ')}. Install one that has them (on Debian: fonts-noto-cjk, fonts-noto-core).`;
}

async function prepare(
  { images }: Workshop,
  { template }: Compiled,
  { data, options: { dataLocale } }: Envelope,
  { signal }: ProduceOptions,
): Promise<Map<string, Uint8Array>> {
  const imagesNeeded = () =>
    template.imagesNeeded(data, dataLocale === undefined ? {} : { dataLocale });
  try {
    return await fetchImages({ imagesNeeded }, data, images, signal);
  } catch (error) {
    throw refusalOf(error, 'validation_error');
  }
}

async function keyOf(
  { office, build }: Workshop,
  { info }: Compiled,
  envelope: Envelope,
  { tenant, submitter }: ProduceOptions & OfSomebody,
  images: ReadonlyMap<string, Uint8Array>,
): Promise<string> {
  const { outputFormat, locale, timezone, data, pdf } = envelope;
  const converter = outputFormat === 'PDF' ? ((await office.check()).version ?? 'none') : '';
  return outputKey({
    tenant,
    submitter,
    template: info.sha256,
    data,
    outputFormat,
    locale,
    timezone,
    storeMergedDocx: envelope.options.storeMergedDocx,
    strict: envelope.options.strict,
    dataLocale: envelope.options.dataLocale,
    pdf,
    images: Object.fromEntries([...images].map(([url, bytes]) => [url, sha256(bytes)])),
    build: `${build} ${converter}`,
  });
}

type MergeFacts = Pick<Envelope, 'data' | 'locale' | 'timezone'> & {
  readonly options?: Partial<Pick<Envelope['options'], 'strict' | 'dataLocale'>>;
};

export async function merge(
  { template }: Pick<Compiled, 'template'>,
  { data, locale, timezone, options }: MergeFacts,
  images: ReadonlyMap<string, Uint8Array>,
): Promise<Uint8Array> {
  const { strict = false, dataLocale } = options ?? {};
  const reading = dataLocale === undefined ? {} : { dataLocale };
  try {
    return await template.merge(data, { locale, timeZone: timezone, images, strict, ...reading });
  } catch (error) {
    throw refusalOf(error, 'validation_error');
  }
}

export async function convert(
  { office }: Pick<Workshop, 'office'>,
  docx: Uint8Array,
  { pdf, outputFileName }: Pick<Envelope, 'pdf'> & Partial<Pick<Envelope, 'outputFileName'>>,
  {
    lane,
    signal,
    correlationId,
    pauses = [],
  }: Omit<ProduceOptions, 'tenant' | 'pauseTimeout'> & { readonly pauses?: readonly Pause[] },
): Promise<Conversion> {
  const waits = waitsOf(pauses);
  try {
    return await office.convert(docx, {
      lane,
      ...(outputFileName !== undefined && { name: outputName(outputFileName, 'pdf') }),
      pdf: officeOptions(pdf),
      ...(signal !== undefined && { signal }),
      ...(correlationId !== undefined && { correlationId }),
      onTurn: waits.onTurn,
    });
  } catch (error) {
    throw error instanceof OfficeError ? fromOfficeError(error) : error;
  } finally {
    waits.end();
  }
}

/** Begins and ends the pauses as the office says whose turn it is. */
function waitsOf(pauses: readonly Pause[]): { onTurn: OnTurn; end(): void } {
  let resume: (() => void)[] = [];
  const end = (): void => {
    for (const each of resume) each();
    resume = [];
  };
  return {
    onTurn(turn) {
      end();
      if (turn === 'waiting') resume = pauses.map((pause) => pause());
    },
    end,
  };
}

async function keep(
  workshop: Workshop,
  key: string,
  { output: bytes, docx: docxBytes, reusable }: Rendered,
): Promise<{ output: Stored; docx: Stored | null }> {
  try {
    const output = await putContent(workshop, bytes);
    const docx = docxBytes && (await putContent(workshop, docxBytes));
    if (reusable) await workshop.outputs.keep(key, output.seq, docx?.seq ?? null);
    return { output: { ...output, bytes }, docx: docx && { ...docx, bytes: docxBytes } };
  } catch (error) {
    throw storing(error);
  }
}

function once<T>(work: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: work() }).value;
}
