// npm run build && node examples/build.mjs: writes the template of each example, and the data that is neither written by hand nor, as the
// report's, too long to keep.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { account } from './source/account.mjs';
import { spreadsheet } from './source/candidates.mjs';
import { invoice } from './source/invoice.mjs';
import { offerData } from './source/offer-data.mjs';
import { offerLetter } from './source/offer-letter.mjs';
import { report } from './source/report.mjs';
import { statement } from './source/statement.mjs';

/**
 * What is built, by its path below this folder.
 * @returns {Record<string, Buffer>}
 */
export function build() {
  return {
    'account/template.docx': account(),
    'invoice/template.docx': invoice(),
    'offer-letter/template.docx': offerLetter(),
    'offer-letter/data.json': json(offerData()),
    'offer-letter/candidates.xlsx': spreadsheet(
      'Candidates',
      csvCells('offer-letter/candidates.csv'),
    ),
    'report/template.docx': report(),
    // Of the pipeline that ships.
    '../pipelines/statement.docx': statement(),
  };
}

/**
 * The cells of a CSV without line breaks in them.
 * @param {string} path
 */
function csvCells(path) {
  const text = readFileSync(join(import.meta.dirname, path), 'utf8').trimEnd();
  return text
    .split('\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^",]*))/g)].map(
        ([, quoted, plain]) => quoted ?? plain ?? '',
      ),
    );
}

/** @param {unknown} data */
function json(data) {
  return Buffer.from(`${JSON.stringify(data, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [path, bytes] of Object.entries(build()))
    writeFileSync(join(import.meta.dirname, path), bytes);
}
