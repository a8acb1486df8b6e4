import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { listBatches } from '../batch-list.ts';
import { exitCodeForBatch, failedRows, warnedRows } from '../batch-rows.ts';
import { howToCorrect, retryBatch, writeFailedRows } from '../correct-batch.ts';
import { downloadBatch, runBatch } from '../run-batch.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { type Values, choice, flag, text, wholeNumber } from '../../line/option.ts';
import { PDF_OPTIONS, pdfWishesOf } from '../pdf-options.ts';
import { OUTPUT_OPTIONS } from '../../terminal/output.ts';
import { batchDetail, rowLine } from '../render/batch.ts';
import { counted } from '../../render/number.ts';
import { UsageError } from '../../line/usage-error.ts';
import { onlyFor, verbOf } from '../../line/verb.ts';

const options = {
  template: text('TEMPLATE', 'A name or id on the server.'),
  data: text('ROWS', 'A .csv, .xlsx, .json or .jsonl file; - for stdin.'),
  sheet: text('NAME', 'The sheet of an .xlsx; default: the first.'),
  name: text('NAME', 'Name of each document: "Invoice {{Number}}".'),
  format: choice(['pdf', 'docx'], 'pdf unless given.'),
  locale: text('LOCALE', 'Locale of numbers and dates; default: en-US.'),
  'data-locale': text('LOCALE', 'Locale of the input rows; default: --locale.'),
  timezone: text('ZONE', 'Time zone of dates; default: UTC.'),
  subject: text('SUBJECT', 'Subject of each, for erasure: "{{CustomerId}}".'),
  preview: wholeNumber('N', 'Generates only the first N rows, at most 1,000.', 1),
  priority: wholeNumber('N', 'Higher first; previews and up to 100 rows have 0.'),
  strict: flag('Fails rows that lack a field.'),
  'allow-missing': flag('Leaves fields without a column empty.'),
  'no-wait': flag('Only prints the id of the batch.'),
  merge: flag('Downloads one PDF of all documents instead of a ZIP.'),
  ...PDF_OPTIONS,
  ...OUTPUT_OPTIONS,
  limit: wholeNumber('N', 'list: maximum number of rows; default: 20.', 1),
  all: flag('list: no maximum.'),
};
type Given = Values<typeof options>;
type Verb = 'list' | 'status' | 'cancel' | 'failed' | 'retry' | 'download';

export const batch = defineCommand({
  name: 'batch',
  summary: 'Generates a document for each row of a file.',
  usage: [
    '--template NAME|ID --data ROWS [-o OUT.zip] [options]',
    '--template NAME|ID --data ROWS --merge -o OUT.pdf',
    'list [--limit N | --all]',
    'status ID',
    'cancel ID',
    'failed ID [-o ROWS.csv] [--force]',
    'retry ID [--data ROWS.csv]',
    'download ID [-o OUT.zip] [--force]',
    'download ID --merge [-o OUT.pdf] [--force]',
  ],
  words: { least: 0, most: 2 },
  options,
  examples: [
    'millrace batch --template invoice --data june.xlsx --preview 3 -o look.zip',
    'millrace batch --template invoice --data june.csv -o june.zip',
    'millrace batch --template invoice --data june.csv --merge -o june.pdf',
    'millrace batch --template invoice --data june.csv --pdf-a 2b -o june.zip',
    'millrace batch --template invoice --data - --no-wait < june.jsonl',
    'millrace batch status batch-3',
  ],
  async run(context, { words, options: given }) {
    if (words.length === 0) return start(context, given);
    const { verb, object: id } = verbOf<Verb>('batch', words, VERBS);
    onlyFor(`batch ${verb}`, given, ALLOWED[verb]);
    if (verb === 'list') return listBatches(context, given);
    if (verb === 'status') return status(context, id);
    if (verb === 'download') return downloadBatch(context, id, checked(given));
    if (verb === 'failed') return writeFailedRows(context, id, given);
    return verb === 'cancel' ? cancel(context, id) : retryBatch(context, id, given);
  },
});

const VERBS = {
  list: null,
  status: 'ID',
  cancel: 'ID',
  failed: 'ID',
  retry: 'ID',
  download: 'ID',
};

const ALLOWED: Readonly<Record<Verb, readonly (keyof Given)[]>> = {
  list: ['limit', 'all'],
  status: [],
  cancel: [],
  failed: ['output', 'force'],
  retry: ['data', 'sheet'],
  download: ['output', 'force', 'merge'],
};

/** A ZIP that is called .pdf would not open. */
function checked(given: Given): Given {
  const { merge, format, output = '' } = given;
  if (merge && format === 'docx')
    throw new UsageError('Only PDFs can be merged: leave out --merge or --format docx.');
  if (merge && /\.(zip|docx)$/i.test(output))
    throw new UsageError(`"${output}" would hold a PDF. Call it .pdf.`);
  if (!merge && /\.(pdf|docx)$/i.test(output))
    throw new UsageError(`The output is a ZIP, not "${output}". Add --merge for one PDF of all.`);
  return given;
}

async function start(context: Context, given: Given): Promise<ExitCode> {
  const { template, data } = given;
  if (template === undefined) throw new UsageError('Missing --template.');
  if (/\.do[ct][xm]$/i.test(template))
    throw new UsageError(
      `Batches use templates of the server. Add the file first: millrace templates add ${template}`,
    );
  if (data === undefined)
    throw new UsageError('Missing --data: a .csv, .xlsx, .json or .jsonl file.');
  if (given['no-wait'] && given.output !== undefined)
    throw new UsageError('With --no-wait nothing is downloaded: leave out -o.');
  if (given['no-wait'] && given.merge)
    throw new UsageError('With --no-wait nothing is downloaded: leave out --merge.');
  onlyFor('batch', given, STARTING);
  if (given.merge && given['password-file'] !== undefined)
    throw new UsageError(
      'PDFs with a password cannot be merged: leave out one of the two options.',
    );
  const pdf = await pdfWishesOf(context, given, given.format ?? 'pdf');
  return runBatch(context, template, data, { ...checked(given), pdf });
}

const STARTING = Object.keys(options).filter((name) => name !== 'limit' && name !== 'all');

/** Codes of rows with wrong data: a retry with the same data fails again. */
const WRONG_DATA: readonly string[] = ['invalid_row', 'validation_error'];

async function status(context: Context, id: string): Promise<ExitCode> {
  const { client, out, json, quiet, document, note, world } = context;
  const found = await client.getBatch({ params: { id } });
  if (quiet && !json) {
    out.line(found.state);
    return exitCodeForBatch(found);
  }
  const failures = await failedRows(context, found, Infinity);
  const warnings = await warnedRows(context, found, Infinity);
  if (json) document({ ...found, failures, warnings });
  else {
    for (const line of batchDetail(found, world.now(), out)) out.line(line);
    if (failures.length + warnings.length > 0) out.line('');
    for (const row of [...warnings, ...failures]) out.line(`  ${rowLine(row, out.paint)}`);
    const again = failures.some(({ error }) => !WRONG_DATA.includes(error?.code ?? ''));
    if (exitCodeForBatch(found) !== EXIT.ok && (again || found.counts.canceled > 0))
      note(`\n"millrace batch retry ${id}" generates the missing ones.`);
    if (failures.length > 0) note(howToCorrect(id));
  }
  return exitCodeForBatch(found);
}

async function cancel(context: Context, id: string): Promise<ExitCode> {
  const { client, out, json, quiet, document } = context;
  const answer = await client.cancelBatch({ params: { id } });
  if (json) document({ id, ...answer });
  else if (!quiet)
    out.line(`${counted(answer.canceled, 'row')} cancelled; finished documents stay.`);
  return EXIT.ok;
}
