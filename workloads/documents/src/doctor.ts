import { findOffice, installedFonts } from '@millrace/office';
import {
  type Finding,
  diskFinding,
  missing,
  storageFinding,
  there,
  unknown,
} from '@millrace/workload-kit';
import type { DocumentsConfig } from './settings.ts';

/** What documents stand on, for `millrace doctor`. */
export async function* examine({
  officePath,
  workdir,
  storage,
}: DocumentsConfig): AsyncGenerator<Finding> {
  yield await office(officePath);
  yield await fonts();
  yield await diskFinding('work folder', workdir);
  if (storage !== null)
    yield await storageFinding('documents (object storage)', 'DOCUMENTS', storage);
}

async function office(path: string | undefined): Promise<Finding> {
  const search = await findOffice(path);
  if ('missing' in search)
    return missing('LibreOffice', search.missing, 'Without it documents are made as DOCX only.');
  const { version, program } = search.found;
  return there('LibreOffice', `LibreOffice ${version.major}.${version.minor} in ${program}.`);
}

/** Each as wide as the font that it stands in for, with the Debian package that has it. */
const FONTS: Readonly<Record<string, string>> = {
  'Liberation Sans': 'fonts-liberation',
  Carlito: 'fonts-crosextra-carlito',
  Caladea: 'fonts-crosextra-caladea',
  'Noto Sans CJK JP': 'fonts-noto-cjk',
};

async function fonts(): Promise<Finding> {
  const installed = await installedFonts();
  if (installed === null)
    return unknown('fonts', 'fontconfig is not there to be asked.', 'Install fontconfig.');
  const lacking = Object.keys(FONTS).filter((name) => !installed.includes(name));
  if (lacking.length === 0) return there('fonts', `${installed.length} font families.`);
  const packages = lacking.map((name) => FONTS[name]).join(' ');
  return missing(
    'fonts',
    `${lacking.join(', ')}: not installed, so such text looks different.`,
    `On Debian and Ubuntu: apt-get install ${packages}`,
  );
}
