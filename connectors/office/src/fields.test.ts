import { expect, test, vi } from 'vitest';
import { contents, field, heading, pageBreak, textOf, withStyles } from '../test/documents.ts';
import { openTestOffice } from '../test/world.ts';
import { docxOf, paragraph } from './page.ts';

// What Word would refresh when it prints, LibreOffice leaves as the template had it.

vi.setConfig({ testTimeout: 120_000 });

test('a table of contents has the lines of the document, and its pages', async () => {
  const { office } = await openTestOffice();
  const chapters = ['First chapter', 'Second chapter'].map(heading);
  const document = withStyles([contents('Old chapter', '9'), ...chapters].join(pageBreak));
  // LibreOffice carries the command out in another thread: one that is lucky once is not one that works.
  for (let turn = 0; turn < 10; turn += 1) {
    const text = textOf((await office.convert(document)).pdf, '-layout', '-l', '1');
    expect(text).toMatch(/First chapter[. ]+2\s+Second chapter[. ]+3/);
    expect(text).not.toContain('Old chapter');
  }
});

test('FILENAME prints the name of the output, whose document is another one under another name', async () => {
  const { office } = await openTestOffice();
  const document = docxOf({ body: field('FILENAME \\* MERGEFORMAT') });
  const named = await office.convert(document, { name: 'Rechnung für Änne 7.pdf' });
  expect(textOf(named.pdf).trim()).toBe('Rechnung für Änne 7.pdf');
  expect(named.printsName).toBe(true);
  expect(textOf((await office.convert(document)).pdf).trim()).toBe('document.pdf');
  expect(await office.convert(docxOf({ body: paragraph('x') }))).not.toHaveProperty('printsName');
  await expect(office.convert(document, { name: '../x.pdf' })).rejects.toMatchObject({
    code: 'unsupported_option',
  });
});

test('characters that no font has are named', async () => {
  const { office } = await openTestOffice();
  // A letter of the Pau Cin Hau script: whoever has a font for it may choose another.
  const rare = '\u{11ac0}';
  const made = await office.convert(docxOf({ body: paragraph(`Grüße ${rare}`) }));
  expect(made.missingCharacters).toEqual([rare]);
});
