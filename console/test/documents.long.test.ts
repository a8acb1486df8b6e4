import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docx, p } from '../../docx/test/builder.ts';
import { need } from '../../scripts/need.mjs';
import { Bytes, type Stage, counting, openStage, sideways, violations } from './stage.ts';

/** Templates, the wizard and a batch, with the real LibreOffice. */

await need('office');
await need('duckdb');

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const TEMPLATE = docx(
  p('Dear {{Candidate.Name}},') +
    p('our offer stands until {{date AnswerBy "long"}}. Call {{Manager.Phone}}.'),
);
/** The second row lacks its date; the third has no name, and a date that is none. */
const CSV =
  'Candidate.Name,Answer until,Remarks\nMara Lindqvist,2026-11-30,\nSaoirse O’Neill,,late\n,soon,\n';

const NEXT = 'Team,Remarks,Answer until,Candidate.Name\nSales,,2027-01-15,Ann Lee\n';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(
    {
      CONVERSION_MAX_CONCURRENT: '1',
      SHELL_QUERY_INITIAL_DELAY: '50ms',
      SHELL_QUERY_MAX_DELAY: '200ms',
    },
    { 'reports/counties.yaml': 'title: Counties\nsql: SELECT 1 AS id\nkey: id\npublic: true\n' },
  );
}, 180_000);
afterAll(() => stage.close());

async function addTemplate(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const added = await stage.call(page, 'POST', `/templates/${name}`, new Bytes(DOCX, bytes));
  expect(added).toMatchObject({ template: { name } });
}

async function dropSheet(page: Page, name: string, text: string): Promise<void> {
  const buffer = Buffer.from(text);
  await page.locator('input[accept*=csv]').setInputFiles({ name, mimeType: 'text/csv', buffer });
}

test('a spreadsheet is mapped, looked at, run, corrected where it failed, and run again', async () => {
  const page = await stage.open({ path: '/documents' });
  await page.getByText('No batches yet').waitFor();
  await addTemplate(page, 'offer', TEMPLATE);
  await page.getByRole('link', { name: 'New batch' }).first().click();
  await page.getByLabel('Existing template').selectOption('offer');
  await dropSheet(page, 'november.csv', CSV);

  // Undecided first: a guess, and a field that no column has. Nothing runs before.
  await page.getByText('2 of 3 fields').waitFor();
  const run = page.getByRole('button', { name: /^Run 3 rows/ });
  expect(await run.getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('button', { name: 'Yes, AnswerBy is right' }).click();
  await page.getByRole('button', { name: 'Same for all rows' }).click();
  const phone = page.getByLabel('Manager.Phone in all rows');
  await phone.fill('0911 555');

  // Back is one step back with all of it, also from another page. A reload loses the file, and says so.
  await page.goBack();
  await page.getByRole('button', { name: 'Map columns' }).waitFor();
  await page.getByText('november.csv').waitFor();
  await page.goForward();
  expect(await phone.inputValue()).toBe('0911 555');
  await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  await page.goBack();
  expect(await phone.inputValue()).toBe('0911 555');
  await page.goto(`${stage.url}/console/documents/new`);
  await page.getByText('november.csv with offer is not run yet').waitFor();
  await page.getByRole('link', { name: 'Go on with it' }).click();
  await page.getByText('Drop the file november.csv again').waitFor();
  expect(await violations(page)).toEqual([]);
  await dropSheet(page, 'november.csv', CSV);
  expect(await phone.inputValue()).toBe('0911 555');
  // What cannot be used counts as what is missing, each at its cell, before anything runs.
  await page.getByText('1 ready, 2 need attention').waitFor();
  await page.getByRole('img', { name: 'Row 2, page 1 of 1' }).waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: '1 row is empty, 1 row cannot be used' }).waitFor();
  await page.getByRole('button', { name: 'Show row 3' }).click();
  const problems = page.getByRole('list', { name: 'Problems of row 3' });
  await problems.getByText('The data has no "Candidate.Name".').waitFor();
  await problems.getByText('AnswerBy: "soon" cannot be read as a date').waitFor();
  await page.getByText('"soon" cannot be read as a date').first().waitFor();
  expect(await violations(page)).toEqual([]);

  const runs = counting(page, 'POST', /^\/documents\/batch$/);
  await run.dblclick();
  await page.waitForURL('**/documents/batches/*');
  expect(runs()).toBe(1);
  await page.getByText('2 failed', { exact: true }).waitFor({ timeout: 60_000 });
  // All that is wrong with a row is there at once.
  await page.getByLabel('AnswerBy of row 3').fill('2026-12-01');
  await page.getByLabel('Candidate.Name of row 3').fill('Tomás Oliveira');
  await page.getByLabel('AnswerBy of row 2').fill('2026-12-15');
  await page.getByText('December 15, 2026').waitFor({ state: 'attached', timeout: 60_000 });
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Run 2 corrected rows' }).click();
  await page.getByText('Finished', { exact: true }).waitFor({ timeout: 60_000 });

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'One PDF' }).click();
  expect((await download).suggestedFilename()).toMatch(/^batch-\d+\.pdf$/);

  // Next month: the columns stand elsewhere, one is new, and nothing has to be decided again.
  await page.getByRole('link', { name: 'Batches', exact: true }).click();
  const again = page.getByRole('region', { name: 'Do again' });
  await again.getByRole('link', { name: /^offer/ }).click();
  await dropSheet(page, 'december.csv', NEXT);
  await page.getByText('A column is new: “Team”.').waitFor();
  expect(await page.getByLabel('Manager.Phone in all rows').inputValue()).toBe('0911 555');
  await page.getByText('as last time').waitFor();
  const once = page.getByRole('button', { name: 'Run 1 row' });
  expect(await once.getAttribute('aria-disabled')).toBeNull();
  expect(await violations(page)).toEqual([]);
}, 180_000);

/** Presses Tab until the focus is there; it never falls off the page. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' });
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press('Tab');
    if ((await target.and(page.locator(':focus')).count()) === 1) return;
  }
  throw new Error(`Tab does not lead to ${String(target)}.`);
}

/** What was pressed is gone, and the focus is somewhere all the same. */
async function focused(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.tagName');
}

test('all of it goes without a pointer', async () => {
  const page = await stage.open({ path: '/documents' });
  await addTemplate(page, 'keyed', TEMPLATE);
  const { keyboard } = page;
  const sheet = { name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) };
  page.on('filechooser', (chooser) => void chooser.setFiles(sheet));
  await tabTo(page, page.getByRole('link', { name: 'New batch' }).first());
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New batch' }).waitFor();
  await tabTo(page, page.getByLabel('Existing template'));
  await keyboard.press('k');
  await page.waitForURL(/template=keyed/);
  await tabTo(page, page.locator('input[accept*=csv]'));
  await keyboard.press('Enter');

  // A guess is confirmed, and a text typed letter by letter: its row stays where it is meanwhile.
  await page.waitForURL(/step=map/);
  expect(await focused(page)).toBe('H1');
  const yes = page.getByRole('button', { name: 'Yes, AnswerBy is right' });
  await tabTo(page, yes);
  await keyboard.press('Enter');
  await yes.waitFor({ state: 'detached' });
  expect(await focused(page)).toBe('SELECT');
  const phone = page.getByLabel('Manager.Phone in all rows');
  await tabTo(page, page.getByRole('button', { name: 'Same for all rows' }));
  await keyboard.press('Space');
  await phone.waitFor();
  await keyboard.type('0911 555');
  expect(await phone.inputValue()).toBe('0911 555');
  await page.getByText('1 ready, 2 need attention').waitFor();

  // Row by row to the last one, where the button has nothing more to do and keeps the focus.
  const after = page.getByRole('button', { name: 'Next row' });
  await tabTo(page, after);
  const shown = page.getByLabel('Row to preview');
  await keyboard.press('Enter');
  await page.waitForURL(/row=3/);
  expect([await shown.inputValue(), await focused(page)]).toEqual(['3', 'BUTTON']);
  await tabTo(page, page.getByRole('button', { name: /^Run 3 rows/ }));
  await keyboard.press('Enter');
  await page.waitForURL('**/documents/batches/*');

  await page.getByText('2 failed', { exact: true }).waitFor({ timeout: 60_000 });
  await tabTo(page, page.getByLabel('AnswerBy of row 2'));
  await keyboard.type('2026-12-15');
  await tabTo(page, page.getByLabel('Candidate.Name of row 3'));
  await keyboard.type('Tomás Oliveira');
  await tabTo(page, page.getByLabel('AnswerBy of row 3'));
  await keyboard.press('Control+a');
  await keyboard.type('2026-12-01');
  await tabTo(page, page.getByRole('button', { name: 'Run 2 corrected rows' }));
  await keyboard.press('Enter');
  await page.getByText('Finished', { exact: true }).waitFor({ timeout: 60_000 });
  expect(await focused(page)).toBe('H1');
  const download = page.waitForEvent('download');
  await tabTo(page, page.getByRole('button', { name: 'ZIP' }));
  await keyboard.press('Enter');
  expect((await download).suggestedFilename()).toMatch(/^batch-\d+\.zip$/);
}, 180_000);

test('a file that is no spreadsheet is refused with what it is', async () => {
  const page = await stage.open({ path: '/documents/new' });
  await dropSheet(page, 'x.csv', '%PDF-1.7 …');
  await page.getByText('invalid_rows').waitFor();
  await page.getByText('The file is a PDF.').waitFor();
});

test('a template is looked at while its data is typed, and compared with its version before', async () => {
  const page = await stage.open({ path: '/documents' });
  await addTemplate(page, 'invoice', readFileSync(example('invoice', 'template.docx')));
  await page.getByRole('link', { name: 'Templates', exact: true }).click();
  await page.getByRole('link', { name: 'invoice' }).click();
  await page.getByRole('img', { name: 'invoice, page 1 of 1' }).waitFor({ timeout: 60_000 });
  const editor = page.getByRole('textbox', { name: 'Sample data as JSON' });
  await editor.click();
  await page.keyboard.press('Control+a');
  const data = JSON.parse(readFileSync(example('invoice', 'data.json'), 'utf8')) as {
    Buyer: Record<string, string>;
  };
  delete data.Buyer['VatId'];
  await page.keyboard.insertText(JSON.stringify(data, null, 2));
  await page.getByText('Buyer.VatId is not in the data').waitFor();
  await page.getByText('Riverside Guest Houses Ltd').waitFor({ state: 'attached' });
  expect(await violations(page)).toEqual([]);

  // As fast as a key repeats that is held down: nothing of it is put back.
  await page.keyboard.press('Control+End');
  const before = await editor.innerText();
  for (let n = 0; n < 40; n += 1) await page.keyboard.press('Space');
  for (let n = 0; n < 40; n += 1) await page.keyboard.press('Backspace');
  expect(await editor.innerText()).toBe(before);

  await addTemplate(page, 'offer', docx(p('Hello {{Candidate.Name}},')));
  await page.goto(`${stage.url}/console/documents/templates/offer`);
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.getByText(/changed regions? on 1 page/).waitFor({ timeout: 60_000 });
}, 120_000);

function example(name: string, file: string): string {
  return join(import.meta.dirname, '../../examples', name, file);
}

test('a viewer sees batches and why nothing can be changed', async () => {
  const page = await stage.open({ user: 'viewer@sandbox', path: '/documents/new' });
  await page
    .getByText(/This needs the role/)
    .first()
    .waitFor();
  await page.goto(`${stage.url}/console/documents?tab=templates`);
  const upload = page.getByRole('button', { name: /Upload a template/ });
  expect(await upload.getAttribute('aria-disabled')).toBe('true');
});

test.each(['/documents?tab=templates', '/documents?tab=files', '/documents/templates/offer'])(
  '%s is right at 320 px and in the dark',
  async (path) => {
    const page = await stage.open({ path, width: 320, dark: true });
    await page.getByText('offer').first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await sideways(page)).toBe(0);
  },
  180_000,
);

test('the first steps make documents, run a query and export a report', async () => {
  const page = await stage.open();
  await page.getByRole('button', { name: /: settings$/ }).click();
  await page.getByRole('link', { name: 'First steps' }).click();
  const first = page.url();
  await page.getByRole('button', { name: 'Generate the letters' }).click();
  await page.waitForURL('**/documents/batches/*');
  await page.getByText('Finished', { exact: true }).first().waitFor();
  await page.goto(first);
  await page.getByRole('button', { name: 'Run it' }).click();
  await page.getByRole('button', { name: /^Close run-/ }).waitFor();
  await page.goto(first);
  await page.getByRole('button', { name: 'Export it' }).click();
  // That a run ends with rows and a file is in main-paths.test.ts.
  await page.getByRole('table', { name: 'Runs' }).getByRole('row').nth(1).waitFor();
  await page.goto(first);
  for (const n of [0, 1, 2]) await page.getByLabel('Done').nth(n).waitFor();
  expect(await violations(page)).toEqual([]);
}, 180_000);

test('nothing broke, and the content security policy was never touched', () => {
  expect(stage.complaints).toEqual([]);
});
