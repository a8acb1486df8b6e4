import type { LintReport, TemplateError, Trial } from '@millrace/docx';
import type { Log } from '@millrace/office';
import type { PdfWishes } from './pdf-options.ts';
import type { Context } from '../context.ts';
import { DocumentError } from './document-error.ts';

/** Documents without a server. The packages for it are loaded only here, and only when asked for. */

/** Checks a template on this machine. Without fontconfig, nothing is reported about fonts. */
export async function lintHere(bytes: Uint8Array, sample: unknown): Promise<LintReport> {
  const { lint } = await import('@millrace/docx');
  const { installedFonts } = await import('@millrace/office');
  const fonts = await installedFonts();
  return lint(bytes, {
    ...(sample !== undefined && { sample }),
    ...(fonts !== null && { installedFonts: fonts }),
  });
}

export interface Wishes {
  readonly locale?: string | undefined;
  readonly timezone?: string | undefined;
  readonly strict?: boolean | undefined;
}

/** A merged DOCX, and what the data lacked for it. */
export interface MergedHere {
  readonly docx: Uint8Array;
  readonly warnings: readonly string[];
}

export async function mergeHere(
  bytes: Uint8Array,
  data: object,
  { locale, timezone, strict }: Wishes,
): Promise<MergedHere> {
  const { TemplateError, compile, missingFields } = await import('@millrace/docx');
  try {
    const template = compile(bytes);
    refuseAddresses(template.imagesNeeded(data));
    const docx = template.merge(data, {
      ...(locale !== undefined && { locale }),
      ...(timezone !== undefined && { timeZone: timezone }),
      ...(strict !== undefined && { strict }),
    });
    const missing = missingFields(template.fields, data);
    return { docx, warnings: missing === null ? [] : [missing] };
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    throw new DocumentError(thrown.code, `${placeOf(thrown)}${thrown.message}`);
  }
}

/** Which hosts may be asked is a server's setting, and so is how to ask them safely. */
function refuseAddresses([first]: readonly string[]): void {
  if (first === undefined) return;
  const shown = (first.split(/[?#]/)[0] ?? '').slice(0, 200);
  throw new DocumentError(
    'image_not_given',
    `The data names images by address, such as ${shown}. Without a server, images are not fetched: embed them as base64.`,
  );
}

function placeOf({ part, paragraph }: TemplateError): string {
  if (part === undefined) return '';
  return paragraph === undefined ? `${part}: ` : `${part}:${paragraph}: `;
}

const SILENT: Log = { info() {}, warn() {}, error() {} };

/** One LibreOffice for one document: it is gone afterwards, whatever happened. */
export async function convertHere(
  { world }: Pick<Context, 'world'>,
  docx: Uint8Array,
  pdf: PdfWishes,
): Promise<{ readonly pdf: Uint8Array; readonly warnings: readonly string[] }> {
  const { OfficeError, openOffice } = await import('@millrace/office');
  const officePath = world.env['MILLRACE_OFFICE_PATH'] || undefined;
  const office = await openOffice({ slots: 1, officePath, log: SILENT });
  try {
    const made = await office.convert(docx, { pdf, signal: world.interrupted });
    const { missingCharacters: missing = [] } = made;
    const boxes = `No installed font has these characters, which appear as boxes in the PDF: ${missing.join(' ')}`;
    return { pdf: made.pdf, warnings: missing.length === 0 ? [] : [boxes] };
  } catch (thrown) {
    if (!(thrown instanceof OfficeError)) throw thrown;
    const advice =
      thrown.code === 'office_missing'
        ? ' MILLRACE_OFFICE_PATH says where. A DOCX can be made without it: --format docx.'
        : '';
    throw new DocumentError(thrown.code, `${thrown.message}${advice}`);
  } finally {
    await office.close();
  }
}

/** Files tried out in threads, and a LibreOffice for what they give; null where there is none. */
export interface Workbench {
  tryOut(bytes: Uint8Array): Promise<Trial>;
  readonly convert: ((docx: Uint8Array) => Promise<ConversionFailure | null>) | null;
  close(): Promise<void>;
}

export type FileTrial = Trial;

export interface ConversionFailure {
  /** Null for what nobody meant to throw. */
  readonly code: string | null;
  readonly message: string;
}

/** A trial reads its file three times; nobody else waits for it. */
const PATIENCE_MS = 180_000;

export async function openWorkbench(
  { world }: Pick<Context, 'world'>,
  { atOnce, converts }: { atOnce: number; converts: boolean },
): Promise<Workbench> {
  const { openThreads } = await import('@millrace/docx');
  const { OfficeError, installedFonts, openOffice } = await import('@millrace/office');
  const fonts = await installedFonts();
  const threads = openThreads({ size: atOnce, timeoutMs: PATIENCE_MS });
  const officePath = world.env['MILLRACE_OFFICE_PATH'] || undefined;
  const office = converts ? await openOffice({ slots: atOnce, officePath, log: SILENT }) : null;
  const isThere = office !== null && (await office.check()).ok;
  return {
    tryOut: (bytes) => threads.tryOut(bytes, fonts === null ? {} : { installedFonts: fonts }),
    convert: isThere
      ? async (docx) => {
          try {
            await office.convert(docx, { signal: world.interrupted });
            return null;
          } catch (thrown) {
            if (thrown instanceof OfficeError)
              return { code: thrown.code, message: thrown.message };
            return { code: null, message: String(thrown) };
          }
        }
      : null,
    async close() {
      await Promise.all([threads.close(), office?.close()]);
    },
  };
}
