// What `convert` compares the pool with: a soffice process per document, and LibreOfficeKit without a pool.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { findOffice } from '../connectors/office/dist/find.js';
import { openKit } from '../connectors/office/dist/kit.js';
import { makeProfile, profileUrl } from '../connectors/office/dist/profile.js';
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

/** Gives the milliseconds of each of the files, converted one after the other. */
export async function openBareKit(folder, warmUp) {
  const role = startRole(fileURLToPath(import.meta.url), 'kit');
  const own = join(folder, 'bare');
  await mkdir(own, { recursive: true });
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
  return async ({ files }) => {
    const times = [];
    for (const file of files) {
      const started = performance.now();
      const document = kit.open(pathToFileURL(file).href);
      document.saveAs(pathToFileURL(output).href, 'pdf', '');
      document.destroy();
      times.push(performance.now() - started);
    }
    confirmPdf('LibreOfficeKit', await readFile(output));
    return { times };
  };
}

/** Different documents as bytes, and as the files that soffice and the bare kit read. */
export async function writeDocuments(folder, documents) {
  const files = documents.map((_, n) => join(folder, `document-${n}.docx`));
  await Promise.all(files.map((file, n) => writeFile(file, documents[n])));
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveRole(kitRole);
