import { basename, resolve } from 'node:path';
import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import { openInput, readBytes, readObject } from '../../input.ts';
import { convertHere, mergeHere } from '../local-office.ts';
import { type Values, choice, flag, text } from '../../line/option.ts';
import { type Chunks, OUTPUT_OPTIONS, fileNameOf, openOutput } from '../../terminal/output.ts';
import { PDF_OPTIONS, type PdfWishes, pdfWishesOf } from '../pdf-options.ts';
import { size } from '../../render/number.ts';
import { lasting } from '../../render/time.ts';
import { clean } from '../../render/width.ts';
import { UsageError } from '../../line/usage-error.ts';

const options = {
  template: text('TEMPLATE', 'A name or id on the server, or a file.docx here.'),
  data: text('JSON', 'A file with an object; - reads standard input.'),
  format: choice(['pdf', 'docx'], 'Default: the format of -o, else pdf.'),
  locale: text('LOCALE', 'Locale of numbers and dates; default: en-US.'),
  timezone: text('ZONE', 'Time zone of dates; default: UTC.'),
  name: text('NAME', "The document's name; the template's unless given."),
  strict: flag('Fails if the data lacks a field.'),
  ...PDF_OPTIONS,
  ...OUTPUT_OPTIONS,
};
type Given = Values<typeof options>;

export const generate = defineCommand({
  name: 'generate',
  summary: 'Generates a document; from a file.docx without a server.',
  usage: ['--template FILE.docx --data JSON [options]', '--template NAME|ID --data JSON [options]'],
  words: { least: 0, most: 0 },
  options,
  examples: [
    'millrace generate --template invoice.docx --data d.json -o out.pdf',
    'millrace generate --template invoice --data d.json --locale de-DE',
    'millrace generate --template invoice.docx --data d.json --pdf-a 2b --strict',
    'cat d.json | millrace generate --template tpl-7 --data - -o - | lp',
  ],
  async run(context, { options: given }) {
    const { template, data: file } = given;
    if (template === undefined) throw new UsageError('Missing --template.');
    if (file === undefined)
      throw new UsageError('No data: pass --data FILE, a file with a JSON object.');
    const format = formatOf(given);
    const name = given.name ?? basename(template).replace(TEMPLATE_FILE, '');
    const path = given.output ?? fileNameOf(name, format);
    if (isFile(template) && resolve(path) === resolve(template))
      throw new UsageError('The document would replace its template. Name another file with -o.');
    const pdf = await pdfWishesOf(context, given, format);
    const output = await openOutput(context, path, given.force);
    const began = context.world.now();
    const order = { template, file, format, pdf };
    const { chunks, answer, warnings } = isFile(template)
      ? await makeHere(context, order, given)
      : await makeThere(context, order, { ...given, name });
    const bytes = await output.write(chunks);
    if (context.json) context.document({ ...answer, path, size: bytes });
    else if (path !== '-') context.out.line(path);
    const { err, json, quiet } = context;
    if (!json && !quiet) for (const each of warnings) err.line(err.paint('yellow', clean(each)));
    context.note(`${size(bytes)}, in ${lasting(context.world.now() - began)}.`);
    return EXIT.ok;
  },
});

type Format = 'pdf' | 'docx';

interface Order {
  readonly template: string;
  /** The file with the data. */
  readonly file: string;
  readonly format: Format;
  readonly pdf: PdfWishes | null;
}

/** The result of `makeHere` and `makeThere`: the bytes, and the fields of --json. */
interface Made {
  readonly chunks: Chunks;
  readonly answer: object;
  /** Warnings: missing fields and characters. */
  readonly warnings: readonly string[];
}

const TEMPLATE_FILE = /\.do[ct][xm]$/i;

function isFile(template: string): boolean {
  return TEMPLATE_FILE.test(template);
}

/** A PDF that is called .docx, .doc or .odt would not open. */
function formatOf({ format, output = '' }: Given): Format {
  const other = /\.(?:doc|dotx?|docm|dotm|odt|rtf|txt|html?|xlsx?|zip|png|jpe?g)$/i.exec(output);
  if (other !== null)
    throw new UsageError(
      `"${output}" would hold a ${(format ?? 'pdf').toUpperCase()}: documents are .pdf or .docx. Rename it.`,
    );
  const ending = /\.(pdf|docx)$/i.exec(output)?.[1]?.toLowerCase() as Format | undefined;
  if (format !== undefined && ending !== undefined && format !== ending)
    throw new UsageError(`"${output}" would hold a ${format.toUpperCase()}. Call it .${format}.`);
  return format ?? ending ?? 'pdf';
}

async function makeHere(
  context: Context,
  { template, file, format, pdf }: Order,
  wishes: Given,
): Promise<Made> {
  const bytes = await readBytes(await openInput(context, template));
  const data = await readObject(context, file);
  const merged = await mergeHere(bytes, data, wishes);
  const made = format === 'docx' ? null : await convertHere(context, merged.docx, pdf ?? {});
  const warnings = [...merged.warnings, ...(made?.warnings ?? [])];
  const answer = warnings.length === 0 ? {} : { warnings };
  return { chunks: [made?.pdf ?? merged.docx], answer, warnings };
}

async function makeThere(
  context: Context,
  { template: templateId, file, format, pdf }: Order,
  { name, locale, timezone, strict }: Given & { name: string },
): Promise<Made> {
  const data = await readObject(context, file);
  const outputFormat = format === 'pdf' ? 'PDF' : 'DOCX';
  const body = {
    templateId,
    outputFileName: name,
    outputFormat,
    locale,
    timezone,
    data,
    ...(strict && { options: { strict } }),
    ...(pdf !== null && { pdf: onServer(pdf) }),
  } as const;
  const answer = await context.client.generate({ body });
  const response = await context.client.downloadFile({ params: { id: answer.file.id } });
  return { chunks: response.body ?? [], answer, warnings: answer.warnings ?? [] };
}

function onServer({ pages, ...pdf }: PdfWishes) {
  return { ...pdf, ...(pages !== undefined && { pageRange: pages }) };
}
