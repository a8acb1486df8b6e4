import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { need } from '../../../scripts/need.mjs';

await need('pdf');

/** A PDF with a page for each text. */
export async function pdfOf(...pages: readonly string[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of pages) document.addPage([300, 200]).drawText(text, { font, x: 20, y: 150 });
  return document.save({ useObjectStreams: false });
}

/** What poppler, which is not ours, sees in a PDF. Its complaints are part of it. */
export interface Seen {
  /** The text of each page. */
  readonly pages: string[];
  /** Of the outline, with the page each entry leads to. */
  readonly outline: { readonly title: string; readonly page: number }[];
  readonly facts: string;
  readonly complaints: string;
}

export function look(pdf: Uint8Array): Seen {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-pdf-'));
  const file = join(folder, 'a.pdf');
  const errors = join(folder, 'errors');
  const poppler = (command: string) =>
    execFileSync('sh', ['-c', `${command} 2>>"$1"`, 'sh', errors, file], { encoding: 'utf8' });
  try {
    writeFileSync(file, pdf);
    const text = poppler('pdftotext -layout "$2" -');
    const xml = poppler('pdftohtml -xml -i -stdout "$2"');
    const facts = poppler('pdfinfo "$2"');
    const complaints = execFileSync('cat', [errors], { encoding: 'utf8' });
    const entries = xml.matchAll(/<item page="(\d+)">([^<]*)<\/item>/g);
    return {
      pages: text
        .split('\f')
        .slice(0, -1)
        .map((page) => page.trim()),
      outline: [...entries].map(([, page, title = '']) => ({ title, page: Number(page) })),
      facts,
      complaints,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
