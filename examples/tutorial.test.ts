import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../connectors/office/test/documents.ts';
import { type Tutorial, startTutorial } from '../docs/test/tutorial.ts';
import { unzip } from '../docx/test/builder.ts';

/** Every command of the tutorial in its order, against the built server. */

let tutorial: Tutorial;
beforeAll(async () => {
  tutorial = await startTutorial({
    settings: { CONVERSION_MAX_CONCURRENT: '1' },
    folders: ['examples'],
  });
}, 240_000);
afterAll(() => tutorial.close(), 60_000);

it('is true, command by command', { timeout: 180_000 }, async () => {
  await tutorial.follow('docs/documents.md');
  const { made } = tutorial;
  expect(textOf(await made('invoice.pdf'))).toContain('€4,002.57');
  expect(textOf(await made('rechnung.pdf'))).toContain('31. Oktober 2026');
  expect(textOf(await made('from-http.pdf'))).toContain('€4,002.57');
  expect(textOf(await made('report.pdf'))).toContain('All regions');
  expect([...unzip(await made('invoice.docx')).keys()]).toContain('word/document.xml');
  expect([...unzip(await made('offers.zip')).keys()].toSorted()).toEqual([
    'Offer Mara Lindqvist.pdf',
    'Offer Saoirse O’Neill.pdf',
    'Offer Tomás Oliveira.pdf',
  ]);
});
