import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MergeOptions, compile, lint } from '@millrace/docx';
import { type Office, openOffice } from '@millrace/office';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../connectors/office/test/documents.ts';
import { observe } from '../connectors/office/test/world.ts';
import { unzip } from '../docx/test/builder.ts';
import { faults } from '../docx/test/read.ts';
import { build } from './build.mjs';
import { reportData } from './report/data.mjs';

/** Each example, from its template and data to the pages, with the real LibreOffice. */

let office: Office;
beforeAll(async () => {
  office = await openOffice({ log: observe().log, slots: 1 });
}, 120_000);
afterAll(() => office.close());

type Example = 'invoice' | 'offer-letter' | 'report';
type Data = Readonly<Record<string, unknown>>;

const fileOf = (path: string) => readFileSync(join(import.meta.dirname, path));
const templateOf = (name: Example) => fileOf(`${name}/template.docx`);
const dataOf = (name: Example): Record<string, unknown> =>
  name === 'report'
    ? reportData()
    : (JSON.parse(fileOf(`${name}/data.json`).toString('utf8')) as Record<string, unknown>);
const installedFonts = execFileSync('fc-list', [':', 'family'], { encoding: 'utf8' })
  .split(/[\n,]/)
  .map((family) => family.trim());

async function printed(name: Example, data: Data, options?: MergeOptions): Promise<Buffer> {
  const merged = compile(templateOf(name)).merge(data, options);
  expect(faults(merged)).toEqual([]);
  return Buffer.from((await office.convert(merged)).pdf);
}

/** An example with the data that is in its folder, printed once for all who look at it. */
function printedAsItIs(name: Example): Promise<Buffer> {
  const pdf = asTheyAre.get(name) ?? printed(name, dataOf(name), { strict: true });
  asTheyAre.set(name, pdf);
  return pdf;
}
const asTheyAre = new Map<Example, Promise<Buffer>>();

/** The text of each page, a line for each line on it, with single spaces. */
function pagesIn(pdf: Buffer): string[] {
  const text = textOf(pdf, '-layout');
  const plain = (page: string) => page.replaceAll(/[^\S\n]+/g, ' ').replaceAll(/^ | $/gm, '');
  return text.split('\f').slice(0, -1).map(plain);
}

async function pagesOf(name: Example, data: Data, options?: MergeOptions): Promise<string[]> {
  return pagesIn(await printed(name, data, options));
}

const built = build();

/** Every path in the data that holds a value: `Lines[].Name`. */
function pathsIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) =>
    pathsIn(inner, path === '' ? key : `${path}.${key}`),
  );
}

describe.each<[Example, pages: number, pictures: number]>([
  ['invoice', 1, 2],
  ['offer-letter', 2, 2],
  ['report', 24, 1],
])('the %s', (name, pages, pictures) => {
  it('is what the script builds', () => {
    for (const [path, bytes] of Object.entries(built).filter(([each]) => each.startsWith(name))) {
      const stored = fileOf(path);
      // Another zlib may pack the same content into other bytes.
      if (path.endsWith('.docx')) expect(unzip(stored), path).toEqual(unzip(bytes));
      else expect(stored.toString('utf8') === bytes.toString('utf8'), path).toBe(true);
    }
    expect(Object.keys(built)).toContain(`${name}/template.docx`);
  });

  it('asks for what the data has, and for nothing else', () => {
    const data = dataOf(name);
    const report = lint(templateOf(name), { sample: data, installedFonts });
    expect(report.problems).toEqual([]);
    expect(report.missingFonts).toEqual([]);
    const asked = new Set(report.fields.map(({ path }) => path));
    const unused = [...new Set(pathsIn(data))].filter((path) => !asked.has(path));
    expect(unused).toEqual([]);
  });

  it('is printed with its fonts and pictures on its pages', async () => {
    const pdf = await printedAsItIs(name);
    expect(textOf(pdf).split('\f').length - 1).toBe(pages);
    expect(textOf(pdf)).not.toMatch(/\{\{|\}\}/);
    const images = execFileSync('pdfimages', ['-list', '-'], { input: pdf, encoding: 'utf8' });
    expect(images.match(/^ *\d+ +\d+ image/gm)).toHaveLength(pictures); // beside their transparency
    const fonts = execFileSync('pdffonts', ['-'], { input: pdf, encoding: 'utf8' });
    for (const line of fonts.trim().split('\n').slice(2))
      expect(line).toMatch(/^[A-Z]{6}\+Liberation(Sans|Serif)/);
  });
});

describe('the invoice', () => {
  const data = dataOf('invoice');
  const lines = data['Lines'] as readonly { Quantity: number; Price: number; Amount: number }[];

  it('adds up', () => {
    for (const { Quantity, Price, Amount } of lines) expect(Quantity * Price).toBe(Amount);
    const net = lines.reduce((sum, { Amount }) => sum + Amount, 0);
    const { VatRate, Vat, Total } = data as { VatRate: number; Vat: number; Total: number };
    expect(Vat).toBeCloseTo(net * VatRate, 2);
    expect(Total).toBeCloseTo(net + Vat, 2);
  });

  it('has the amount, the account and the reference in its code', () => {
    const {
      Number: number,
      Total,
      Seller,
      Payment,
    } = data as {
      Number: string;
      Total: number;
      Seller: { Iban: string };
      Payment: { Code: string };
    };
    const parts = Payment.Code.split('\n');
    expect(parts).toContain(Seller.Iban.replaceAll(' ', ''));
    expect(parts).toContain(`EUR${Total.toFixed(2)}`);
    expect(parts).toContain(`Invoice ${number}`);
  });

  it('shows lines, sums and that it is overdue', async () => {
    const [page] = pagesIn(await printedAsItIs('invoice'));
    for (const text of [
      'Riverside Guest Houses Ltd',
      'Payment due October 31, 2026',
      'Payment is 12 days overdue.',
      '2 Chair “Linden” 6 pcs €189.00 €1,134.00',
      'Net amount €3,363.50',
      'VAT 19% €639.07',
      'Total €4,002.57',
      'Please transfer €4,002.57 within a week to:',
      'Page 1 of 1',
    ])
      expect(page).toContain(text);
  });

  it('says nothing of that before it is', async () => {
    const [page] = await pagesOf('invoice', { ...data, DaysOverdue: 0 }, { locale: 'de-DE' });
    expect(page).not.toContain('overdue');
    expect(page).toContain('Please transfer 4.002,57 € by 31. Oktober 2026 to:');
  });

  it('goes on over pages, each with the heading of the table, and keeps the sums together', async () => {
    const Lines = Array.from({ length: 40 }, (_, n) => lines[n % lines.length]);
    const pages = await pagesOf('invoice', { ...data, Lines });
    expect(pages).toHaveLength(3);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain('Description Quantity Unit price Amount');
      expect(page).toContain(`Page ${index + 1} of 3`);
    }
    expect(pages[1]).toContain('Aldermill Furniture · Invoice 2026-0417');
    expect(pages[2]).toMatch(/Net amount[^]*VAT[^]*Total[^]*Please transfer/);
  });
});

describe('the offer letter', () => {
  const data = dataOf('offer-letter');

  it('is for part-time work from home, with its list', async () => {
    const [letter, terms] = pagesIn(await printedAsItIs('offer-letter'));
    expect(letter).toContain('part-time position of 30 hours a week');
    expect(letter).toContain('You work from home.');
    expect(letter).not.toContain('workshop by the river');
    expect(letter?.match(/^– /gm)).toHaveLength(4);
    expect(letter).toContain('Nürnberg, November 16, 2026');
    expect(terms).toContain('Hours 30 a week (part-time, 79%)');
    expect(terms).toContain('Salary €46,200 a year');
  });

  it('is for full-time work in the workshop, as its language writes dates', async () => {
    const other = { ...data, HoursPerWeek: 38, Workplace: 'workshop', Benefits: [] };
    const [letter, terms] = await pagesOf('offer-letter', other, { locale: 'de-DE' });
    expect(letter).toContain('full-time position of 38 hours');
    expect(letter).toContain('workshop by the river');
    expect(letter).not.toMatch(/part-time|from home|you get/);
    expect(letter).toContain('Nürnberg, 16. November 2026');
    expect(terms).toContain('First day Montag, 1. Februar 2027');
    expect(terms).toContain('Salary 46.200 € a year');
  });

  it('has all its fields in the CSV but the list and the signature', () => {
    const [header = ''] = fileOf('offer-letter/candidates.csv').toString('utf8').split('\n');
    const missing = [...new Set(pathsIn(data))].filter((path) => !header.split(',').includes(path));
    expect(missing).toEqual(['Benefits[]', 'Signature']);
  });
});

describe('the report', () => {
  it('has a thousand rows, each page with the heading, and sums that are right', async () => {
    const data = dataOf('report');
    const regions = data['Regions'] as readonly {
      Name: string;
      Revenue: number;
      Orders: readonly { Amount: number }[];
    }[];
    const pages = pagesIn(await printedAsItIs('report'));
    const [summary, ...table] = pages;
    const rows = table.join('\n').match(/^\w{3} \d+, 2026 A-\d{5} .* €[\d,.]+$/gm);
    expect(rows).toHaveLength(1_000);
    expect(new Set(rows).size).toBe(1_000);
    for (const page of table) expect(page).toContain('Date Order Customer Product Quantity Amount');
    const euros = (amount: number) =>
      amount.toLocaleString('en-US', { style: 'currency', currency: 'EUR' });
    for (const { Name, Revenue, Orders } of regions) {
      expect(Orders.reduce((sum, { Amount }) => sum + Amount, 0)).toBe(Revenue);
      expect(table.join('\n')).toMatch(
        new RegExp(`^Total ${Name} [\\d,]+ ${euros(Revenue)}$`, 'm'),
      );
      // A group begins with at least one of its rows on the same page.
      expect(table.join('\n')).toMatch(new RegExp(`^${Name}\n+Jul 1, 2026 A-`, 'm'));
      expect(summary).toContain(euros(Revenue));
    }
    const all = euros(regions.reduce((sum, { Revenue }) => sum + Revenue, 0));
    expect(table.at(-1)).toMatch(/^Total Overseas/m);
    expect(table.at(-1)).toContain(`All regions ${all}`);
    expect(summary).toContain(`All regions 1,000 ${all} 100.0%`);
  });
});
