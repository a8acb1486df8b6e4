import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { need } from '../../../scripts/need.mjs';
import { fileOf } from '../../test/build.ts';
import { copied, fileOfCopy } from '../../test/copy.ts';
import type { Column, Row } from '../columns.ts';

await need('office');

const run = promisify(execFile);

// Documents need LibreOffice Writer only, and that is what the project installs. Where Calc is there too
// (libreoffice-calc-nogui), it reads what we wrote.
const hasCalc = ['/usr/lib', '/usr/lib64', '/opt'].some((folder) =>
  existsSync(`${folder}/libreoffice/program/libsclo.so`),
);

const COLUMNS: Column[] = [
  { name: 'Id', type: 'number' },
  { name: 'Text <&>', type: 'text' },
  { name: 'Amount', type: 'decimal' },
  { name: 'Day', type: 'date' },
  { name: 'Moment', type: 'date' },
  { name: 'Long', type: 'number' },
];

const TEXTS = [
  '=1+1',
  '+1',
  "'quoted",
  'a "b", c',
  'two\nlines',
  ' blanks ',
  '_x0041_ _x005F_x0041_',
  'bell \u0007 😀 漢字 \u2028',
  '007',
  '2026-01-31',
  'TRUE',
  '1e5',
  null,
];

const ROWS: Row[] = Array.from({ length: 1300 }, (_, i) => [
  i % 11 === 0 ? null : i - 500,
  TEXTS[i % TEXTS.length],
  `${i}.${i % 9}5`,
  `20${10 + (i % 80)}-0${1 + (i % 9)}-1${i % 10}`,
  i % 4 === 0 ? `2026-03-29 0${i % 10}:59:5${i % 10}.12${i % 10}` : `1955-10-2${i % 10} 23:59:59`,
  `${9_007_199_254_740_993n + BigInt(i)}`,
]);

const options = { format: 'xlsx', columns: COLUMNS } as const;

test.skipIf(!hasCalc).each([
  ['rows', () => fileOf(options, ROWS).bytes],
  ['the bytes of COPY', () => fileOfCopy(options, copied(ROWS)).bytes],
])(
  'LibreOffice shows each cell as it was given, from %s',
  { timeout: 120_000 },
  async (_, make) => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-xlsx-'));
    try {
      const xlsx = join(folder, 'table.xlsx');
      await writeFile(xlsx, make());
      // Comma, quotes where needed, UTF-8, cells as they are shown.
      const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false';
      const profile = `-env:UserInstallation=file://${folder}/profile`;
      await run('soffice', [
        profile,
        '--headless',
        '--convert-to',
        filter,
        '--outdir',
        folder,
        xlsx,
      ]);
      const shown = await readFile(join(folder, 'table.csv'), 'utf8');
      const given = fileOf(
        { format: 'csv', columns: COLUMNS, csv: { formulaGuard: false } },
        ROWS,
      ).text;
      expect(shown.split('\n')).toEqual(given.split('\n'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
