// What `convert` converts, and what it compares the pool with: a soffice process per document, and LibreOfficeKit
// without a pool.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { compile } from '@millrace/docx';
import { findOffice } from '@millrace/office';
import {
  environmentOf,
  filterOptions,
  makeProfile,
  openKit,
  profileUrl,
} from '@millrace/office/kit';
import { dialects, invoiceData, invoiceTemplate, plainDocx } from './invoice.mjs';
import { runMark } from '../../scripts/leftovers.mjs';
import { serveRole, startRole } from './role.mjs';

const run = promisify(execFile);

export async function office() {
  const search = await findOffice(process.env.MILLRACE_OFFICE_PATH);
  if ('missing' in search) throw new Error(search.missing);
  return search.found;
}

export function confirmPdf(name, bytes) {
  if (Buffer.from(bytes.subarray(0, 5)).toString() !== '%PDF-')
    throw new Error(`${name} gave no PDF`);
}

/**
 * As many lanes as asked for, each with a profile that LibreOffice has filled before the clock runs: a profile that
 * is not there yet would cost it another second per document. `convert(lane, file)` gives the PDF's bytes.
 */
export async function openSoffice({ folder, lanes, warmUp }) {
  const { soffice: found, program } = await office();
  // The command as everybody writes it, where it is; our own fallback would start soffice.bin behind it.
  const command = join(program, 'soffice');
  const soffice = existsSync(command) ? command : found;
  if (soffice === null) throw new Error('There is no soffice.');
  const convert = async (lane, file) => {
    const out = join(folder, `soffice-${lane}`);
    const profile = pathToFileURL(join(out, 'profile')).href;
    const convertTo = ['--headless', '--convert-to', 'pdf', '--outdir', out, file];
    await run(soffice, [`-env:UserInstallation=${profile}`, ...convertTo]);
    const pdf = join(out, `${basename(file, '.docx')}.pdf`);
    const bytes = await readFile(pdf);
    await rm(pdf);
    confirmPdf('soffice', bytes);
    return bytes;
  };
  for (let lane = 0; lane < lanes; lane += 1) {
    await mkdir(join(folder, `soffice-${lane}`), { recursive: true });
    // The first run only fills the profile, and may ask to be started again (81).
    await convert(lane, warmUp).catch(() => convert(lane, warmUp));
  }
  return { convert };
}

/** Gives the milliseconds of each of the files, converted one after the other: load, save, close and the whole. */
export async function openBareKit(folder, warmUp) {
  const own = join(folder, 'bare');
  const env = environmentOf(own); // that of the pool's processes
  await mkdir(env.TMPDIR, { recursive: true });
  const role = startRole(fileURLToPath(import.meta.url), 'kit', { ...env, ...runMark() });
  await role.ask({ folder: own });
  await role.ask({ files: warmUp });
  return { convert: (files) => role.ask({ files }), end: () => role.end() };
}

/** No pool, no sandbox, no messages per document: what LibreOffice itself takes, from file to file. */
async function kitRole({ folder }) {
  const { library, program, version } = await office();
  if (library === null) throw new Error('There is no LibreOfficeKit.');
  await makeProfile(folder, version);
  const kit = openKit({ library, program, profileUrl: profileUrl(folder) });
  const output = join(folder, 'out.pdf');
  const filter = filterOptions({}, version);
  return async ({ files }) => {
    const times = [];
    for (const file of files) {
      await rm(output, { force: true }); // as in the pool, no PDF is replaced
      const started = performance.now();
      const document = kit.open(pathToFileURL(file).href);
      const loaded = performance.now();
      document.saveAs(pathToFileURL(output).href, 'pdf', filter);
      const saved = performance.now();
      document.destroy();
      const ended = performance.now();
      const [load, save, close] = [loaded - started, saved - loaded, ended - saved];
      times.push({ whole: ended - started, load, save, close });
    }
    confirmPdf('LibreOfficeKit', await readFile(output));
    return { times };
  };
}

/** `count` different documents of each kind, as bytes. One page each. */
export async function makeDocuments(count) {
  const example = new URL('../../examples/invoice/', import.meta.url);
  const pictured = compile(await readFile(new URL('template.docx', example)));
  const sample = JSON.parse(await readFile(new URL('data.json', example), 'utf8'));
  const plain = compile(invoiceTemplate(dialects.millrace));
  const each = (make) => Array.from({ length: count }, (_, n) => make(n));
  return {
    invoice: each((n) => plain.merge(invoiceData(ROWS, n))),
    'invoice with logo and QR code': each((n) =>
      pictured.merge({ ...sample, Buyer: { ...sample.Buyer, Name: `Customer ${n}` } }),
    ),
    letter: each(letter),
  };
}

const ROWS = 10;
const REMARKS = [
  'thank you for your visit to the mill last week. We have gone through your questions with our wheelwright.',
  'The wheel can be delivered in spring. It is made of oak, as the old one was, and turns in water of any height. Its ' +
    'bearings are greased once a year, which takes an hour and needs no tools but a ladder.',
  'Should the race freeze, please stop the wheel and leave the gate open. Our guarantee covers ice from the first ' +
    'to the last day of frost, but not the hammers with which people try to remove it.',
  'We shall call you in the week after Easter to agree upon the day. If that does not suit you, write to us.',
];

/** A page without a table: sender, recipient, date, four paragraphs. */
function letter(n) {
  const lines = [
    'Mill & Sons, Race 1, 26121 Oldenburg',
    `Customer ${n}`,
    'Weir 2',
    '26122 Oldenburg',
  ];
  const texts = [...lines, '31 January 2026', 'Your new wheel', `Dear customer ${n},`, ...REMARKS];
  return plainDocx([...texts, 'With kind regards', 'Ada Müller']);
}

/** Documents as the files that soffice and the bare kit read. */
export async function writeDocuments(folder, documents) {
  const files = documents.map((_, n) => join(folder, `document-${n}.docx`));
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map((file, n) => writeFile(file, documents[n])));
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveRole(kitRole);
