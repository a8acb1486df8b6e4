import { openOffice } from '@millrace/office';
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { need } from '../../../../scripts/need.mjs';
import { openTestDatabase } from '../../../../stores/postgres/test/stores.ts';
import { look } from '../../test/pdf.ts';
import { bytesOf, openWorld, template } from '../../test/world.ts';

await need('office');

// Everything else runs on a fake office. This once, the real one.
test('a letter by a click and a batch, through LibreOffice', { timeout: 120_000 }, async () => {
  const database = await openTestDatabase('postgres');
  const log = { info() {}, warn() {}, error() {} };
  const office = await openOffice({ slots: 2, log });
  const world = await openWorld(database, { office });
  try {
    const { documents } = world;
    await documents.templates.add({
      name: 'letter',
      bytes: template('Dear {{Name}},', 'welcome.'),
    });
    const one = await documents.generate({
      templateId: 'letter',
      outputFileName: 'Ann',
      data: { Name: 'Ann' },
      pdf: { pdfA: '2b' },
    });
    expect(one.timings.convert).toBeGreaterThan(0);
    expect(textOf(await one.body.bytes())).toBe('Dear Ann,\nwelcome.');
    const png = await documents.preview('letter', { Name: 'Ann' }, { outputFormat: 'PNG' });
    expect(Buffer.from(png).subarray(1, 4).toString()).toBe('PNG');

    const rows = Array.from({ length: 10 }, (_, n) => ({ Name: `P${n}` }));
    const { id, jobId } = await documents.batches.create(
      { templateId: 'letter', outputFileName: '{{Name}}' },
      { rows },
    );
    world.startWorker();
    await world.ended(jobId ?? '');
    const batch = await documents.batches.get(id);
    expect(batch).toMatchObject({ state: 'FINISHED', counts: { succeeded: 10 } });
    const { items } = await documents.batches.items(id);
    for (const { item, fileId } of items) {
      const { bytes } = await documents.files.read(fileId ?? '');
      expect(textOf(await bytesOf(bytes))).toBe(`Dear P${item - 1},\nwelcome.`);
    }
    expect((await documents.archive(id)).entries).toBe(10);
    const merged = await bytesOf((await documents.batches.merged(id)).read());
    const names = rows.map(({ Name }) => Name);
    expect(look(merged)).toMatchObject({
      pages: names.map((name) => `Dear ${name},\nwelcome.`),
      outline: names.map((name, index) => ({ title: `${name}.pdf`, page: index + 1 })),
      complaints: '',
    });
  } finally {
    await world.close();
    await office.close();
    await database.drop();
  }
});

function textOf(pdf: Uint8Array): string {
  return execFileSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' }).trim();
}
