import { basename, resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { openInput, readBytes, readObject } from '../input.ts';
import { convertHere, mergeHere } from '../local-office.ts';
import { type Values, choice, text } from '../option.ts';
import { type Chunks, OUTPUT_OPTIONS, fileNameOf, openOutput } from '../output.ts';
import { size } from '../render/number.ts';
import { lasting } from '../render/time.ts';
import { UsageError } from '../usage-error.ts';

const options = {
  template: text('TEMPLATE', 'A name or id on the server, or a file.docx here.'),
  data: text('JSON', 'A file with an object; - reads standard input.'),
  format: choice(['pdf', 'docx'], 'By default that of -o, else pdf.'),
  locale: text('LOCALE', 'For numbers and dates: de-DE; en-US unless given.'),
  timezone: text('ZONE', 'For dates: Europe/Berlin; UTC unless given.'),
  name: text('NAME', "The document's name; the template's unless given."),
  ...OUTPUT_OPTIONS,
};
type Given = Values<typeof options>;

export const generate = defineCommand({
  name: 'generate',
  summary: 'Makes a document; from a file.docx without a server.',
  usage: ['--template FILE.docx --data JSON [options]', '--template NAME|ID --data JSON [options]'],
  words: { least: 0, most: 0 },
  options,
  examples: [
    'millrace generate --template invoice.docx --data d.json -o out.pdf',
    'millrace generate --template invoice --data d.json --locale de-DE',
    'cat d.json | millrace generate --template tpl-7 --data - -o - | lp',
  ],
  async run(context, { options: given }) {
    const { template, data: file } = given;
    if (template === undefined) throw new UsageError('Which template? Give --template.');
    if (file === undefined)
      throw new UsageError('What is to stand in it? Give --data, a file with a JSON object.');
    const format = formatOf(given);
    const name = given.name ?? basename(template).replace(TEMPLATE_FILE, '');
    const path = given.output ?? fileNameOf(name, format);
    if (isFile(template) && resolve(path) === resolve(template))
      throw new UsageError('The document would replace its template. Name another file with -o.');
    const output = await openOutput(context, path, given.force);
    const began = context.world.now();
    const { chunks, answer } = isFile(template)
      ? await makeHere(context, template, file, format, given)
      : await makeThere(context, template, file, format, { ...given, name });
    const bytes = await output.write(chunks);
    if (context.json) context.document({ ...answer, path, size: bytes });
    else if (path !== '-') context.out.line(path);
    context.note(`${size(bytes)}, in ${lasting(context.world.now() - began)}.`);
    return EXIT.ok;
  },
});

type Format = 'pdf' | 'docx';

/** What `makeHere` and `makeThere` give: the bytes, and what --json shows beside them. */
interface Made {
  readonly chunks: Chunks;
  readonly answer: object;
}

const TEMPLATE_FILE = /\.do[ct][xm]$/i;

function isFile(template: string): boolean {
  return TEMPLATE_FILE.test(template);
}

/** A PDF that is called .docx would not open. */
function formatOf({ format, output = '' }: Given): Format {
  const ending = /\.(pdf|docx)$/i.exec(output)?.[1]?.toLowerCase() as Format | undefined;
  if (format !== undefined && ending !== undefined && format !== ending)
    throw new UsageError(`"${output}" would hold a ${format.toUpperCase()}. Call it .${format}.`);
  return format ?? ending ?? 'pdf';
}

async function makeHere(
  context: Context,
  template: string,
  file: string,
  format: Format,
  wishes: Given,
): Promise<Made> {
  const bytes = await readBytes(await openInput(context, template));
  const data = await readObject(context, file);
  const docx = await mergeHere(bytes, data, wishes);
  return { chunks: [format === 'docx' ? docx : await convertHere(context, docx)], answer: {} };
}

async function makeThere(
  context: Context,
  templateId: string,
  file: string,
  format: Format,
  { name, locale, timezone }: Given & { name: string },
): Promise<Made> {
  const data = await readObject(context, file);
  const outputFormat = format === 'pdf' ? 'PDF' : 'DOCX';
  const body = { templateId, outputFileName: name, outputFormat, locale, timezone, data } as const;
  const answer = await context.client.generate({ body });
  const response = await context.client.downloadFile({ params: { id: answer.file.id } });
  return { chunks: response.body ?? [], answer };
}
