import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { need } from '../../scripts/need.mjs';

await need('office');
await need('pdf');

const run = promisify(execFile);

export interface Converted {
  /** The text of each page, as it lies on it. */
  readonly pages: readonly string[];
  /** Where its links lead. */
  readonly links: string;
  /** How many pictures the pages show. */
  readonly pictures: number;
}

/** Opens a document in LibreOffice and prints it. Both programs are part of the project's setup. */
export async function convert(bytes: Uint8Array): Promise<Converted> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-docx-'));
  try {
    const input = join(folder, 'merged.docx');
    const output = join(folder, 'merged.pdf');
    await writeFile(input, bytes);
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    await run('soffice', [profile, '--headless', '--convert-to', 'pdf', '--outdir', folder, input]);
    const { stdout } = await run('pdftotext', ['-layout', output, '-']);
    const images = await run('pdfimages', ['-list', output]);
    const pictures = images.stdout
      .trim()
      .split('\n')
      .slice(2)
      .filter((line) => / image /.test(line)).length;
    const links = await run('pdfinfo', ['-url', output]);
    return { pages: stdout.split('\f').slice(0, -1), links: links.stdout, pictures };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
