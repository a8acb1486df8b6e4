import { TemplateError, ThreadsBusy } from '@millrace/docx';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type World, openWorld, template } from '../../test/world.ts';
import { EVERYTHING } from '@millrace/workload-kit';
import { documentsWithin } from '../within.ts';
import { type TemplateThreads, openTemplateThreads } from './threads.ts';

describe.each(DATABASES)('templates on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    world = await openWorld(database);
  });
  afterEach(() => world.close());

  const add = (name: string, text = 'Dear {{Name}}', tenant = '') =>
    world.documents.templates.add({ name, bytes: template(text), by: 'ann', tenant });

  test('each upload is a version of its own, and the same bytes are the same version', async () => {
    const first = await add('letter');
    expect(first).toMatchObject({
      created: true,
      template: { name: 'letter', version: 1, createdBy: 'ann' },
      lint: { ok: true },
    });
    expect(first.template.id).toMatch(/^tpl-\d+$/);
    const second = await add('letter', 'Hello {{Name}}');
    expect(second.template.version).toBe(2);
    expect(await add('letter', 'Hello {{Name}}')).toMatchObject({
      created: false,
      template: second.template,
    });
    // Back to older words: a new version, since the newest is another.
    expect((await add('letter')).template.version).toBe(3);
    const { templates } = world.documents;
    expect((await templates.get('letter')).version).toBe(3);
    expect((await templates.get(first.template.id)).version).toBe(1);
    expect((await templates.bytes(first.template.id)).bytes).toEqual(template('Dear {{Name}}'));
  });

  test('versions added at the same moment have different numbers', async () => {
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((text) => add('letter', text)));
    expect(all.map((each) => each.template.version).toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4,
    ]);
  });

  test('a template that cannot be merged is refused with its place', async () => {
    await expect(add('letter', 'Dear {{#if Name}}')).rejects.toMatchObject({
      code: 'template_invalid',
      detail: 'unbalanced_block',
      place: { part: 'word/document.xml', paragraph: 1, snippet: expect.any(String) },
    });
    await expect(
      world.documents.templates.add({ name: 'x', bytes: Buffer.from('no zip') }),
    ).rejects.toMatchObject({ code: 'template_invalid', detail: 'not_a_docx' });
    expect((await world.documents.templates.list()).items).toEqual([]);
  });

  test.each(['', '  ', 'tpl-7', 'a\nb', 'x'.repeat(201)])('refuses the name %j', async (name) => {
    await expect(add(name)).rejects.toMatchObject({ code: 'invalid_name' });
  });

  test('lists the newest of each by name, page by page', async () => {
    for (const name of ['b', 'ä', 'a', 'c']) await add(name);
    await add('a', 'newer');
    const { templates } = world.documents;
    const seen: string[] = [];
    for (let cursor: string | undefined; ;) {
      const { items, next } = await templates.list({ limit: 2, cursor });
      seen.push(...items.map(({ name, version }) => `${name} ${version}`));
      if (next === null) break;
      cursor = next;
    }
    expect(seen).toEqual(['a 2', 'b 1', 'c 1', 'ä 1']);
    const versions = await templates.versions('a', { limit: 1 });
    expect(versions.items.map(({ version }) => version)).toEqual([2]);
    const older = await templates.versions('a', { limit: 1, cursor: versions.next ?? '' });
    expect(older).toMatchObject({ items: [{ version: 1 }], next: null });
    await expect(templates.list({ cursor: '%' })).rejects.toMatchObject({ code: 'invalid_cursor' });
    await expect(templates.versions('nothing')).rejects.toMatchObject({
      code: 'template_not_found',
    });
  });

  test('tenants do not see each other', async () => {
    const { template: theirs } = await add('letter', 'theirs', 'acme');
    const { templates } = world.documents;
    await templates.compiled(theirs.id, 'acme');
    for (const read of [templates.get, templates.compiled, templates.remove, templates.bytes])
      await expect(read(theirs.id)).rejects.toMatchObject({ code: 'template_not_found' });
    expect((await templates.list()).items).toEqual([]);
    expect((await add('letter', 'ours')).template.version).toBe(1);
  });

  test('lints what is stored and what is not, against a sample', async () => {
    const { template: stored } = await add('letter');
    const { templates } = world.documents;
    expect(await templates.lint(stored.id, { sample: { Nam: 'Ann' } })).toMatchObject({
      ok: false,
      problems: [{ code: 'unknown_path', paragraph: 1 }],
    });
    expect(await templates.lint(template('{{Name}}'), { sample: { Name: 1 } })).toMatchObject({
      ok: true,
    });
    expect(await templates.lint(template('{{#each X}}'))).toMatchObject({ ok: false });
  });

  test('a report is kept with its version, and made again only by another build', async () => {
    const { template: stored } = await add('letter');
    const linted: string[] = [];
    const threads = openTemplateThreads();
    const counting: TemplateThreads = {
      ...threads,
      lint(bytes, options) {
        linted.push('lint');
        return threads.lint(bytes, options);
      },
    };
    const open = (build: string, installedFonts?: string[]) =>
      openWorld(database, {
        build,
        threads: counting,
        ...(installedFonts && { installedFonts }),
      });
    const same = await open('test');
    expect(await same.documents.templates.report(stored.id)).toMatchObject({
      ok: true,
      fields: [{ path: 'Name' }],
    });
    expect(linted).toEqual([]);
    // Fonts are those of the machine that is asked, not of the one that made the report.
    const fontless = await open('newer', []);
    const { templates } = fontless.documents;
    const reports = await Promise.all([1, 2, 3].map(() => templates.report('letter')));
    for (const report of reports)
      expect(report).toMatchObject({ ok: true, problems: [{ code: 'missing_font' }] });
    expect(linted).toEqual(['lint']);
    expect((await templates.report(stored.id)).missingFonts).toEqual(['Liberation Sans']);
    expect(linted).toEqual(['lint']);
    await expect(templates.report('tpl-99999')).rejects.toMatchObject({
      code: 'template_not_found',
    });
    await same.close();
    await fontless.close();
  });

  test('a template that is too much work is refused for good, and reported as such', async () => {
    const tooMuch = () => Promise.reject(new TemplateError('too_complex', 'Make it simpler.'));
    const busy = () => Promise.reject(new ThreadsBusy('17 templates wait already.'));
    const { template: stored } = await add('letter');
    const threads = openTemplateThreads();
    const slow = await openWorld(database, {
      threads: { ...threads, check: tooMuch, compile: tooMuch, lint: busy },
    });
    const { templates, preview } = slow.documents;
    await expect(templates.add({ name: 'x', bytes: template('{{Name}}') })).rejects.toMatchObject({
      code: 'template_invalid',
      detail: 'too_complex',
      retryable: false,
    });
    await expect(preview(stored.id, {})).rejects.toMatchObject({
      code: 'validation_error',
      detail: 'too_complex',
      retryable: false,
    });
    await expect(templates.lint(template('{{Name}}'))).rejects.toMatchObject({
      code: 'busy',
      retryable: true,
    });
    await slow.close();
  });

  test('the compiled one is made once, and reported', async () => {
    const { template: stored } = await add('letter');
    const { templates } = world.documents;
    const all = await Promise.all([1, 2, 3].map(() => templates.compiled(stored.id)));
    expect(all.map(({ hit }) => hit)).toEqual([false, true, true]);
    expect(new Set(all.map((each) => each.template)).size).toBe(1);
    expect(templates.cacheStats()).toMatchObject({ hits: 2, misses: 1, entryCount: 1 });
    expect(world.told).toEqual([`miss ${stored.id}`, `hit ${stored.id}`, `hit ${stored.id}`]);
    await add('letter', 'newer');
    // A name is looked up each time: an edited template never yields an old document.
    expect((await templates.compiled('letter')).info.version).toBe(2);
  });

  test('is removed when nothing that lives uses it', async () => {
    const { template: first } = await add('letter');
    const { template: second } = await add('letter', 'newer');
    const { templates, batches } = world.documents;
    const job = await world.queue.enqueue({
      kind: 'document',
      data: { templateId: 'letter', outputFileName: 'x', data: {} },
    });
    await expect(templates.remove('letter')).rejects.toMatchObject({ code: 'template_in_use' });
    await expect(templates.remove(second.id)).rejects.toMatchObject({ code: 'template_in_use' });
    expect(await templates.remove(first.id)).toEqual({ removed: [first.id] });
    await world.queue.cancel([job.id]);
    const batch = await batches.create({ templateId: second.id }, { rows: [{}] });
    await expect(templates.remove('letter')).rejects.toThrow(/0 jobs and 1 batches/);
    await batches.cancel(batch.id);
    expect(await templates.remove('letter')).toEqual({ removed: [second.id] });
    await expect(templates.compiled(second.id)).rejects.toMatchObject({
      code: 'template_not_found',
    });
  });

  describe('of a member', () => {
    const as = (owner: string | null) =>
      documentsWithin(world.documents, { ...EVERYTHING, owner }).templates;
    const one = (templateId: string) => ({ templateId, outputFileName: 'x', data: { Name: 'x' } });

    test('is there for its owner and for operators, and for nobody else', async () => {
      const bytes = template('Dear {{Name}}');
      const { template: own } = await as('ada').add({ name: 'mine', bytes, by: 'ada' });
      expect(own).toMatchObject({ name: 'mine', owner: 'ada' });
      await add('letter');
      const names = async (owner: string | null) =>
        (await as(owner).list({})).items.map(({ name }) => name);
      expect(await names('ada')).toEqual(['letter', 'mine']);
      expect(await names('bob')).toEqual(['letter']);
      expect(await names(null)).toEqual(['letter', 'mine']);
      expect(await as('ada').get('mine')).toEqual(own);
      expect(await as(null).bytes(own.id)).toMatchObject({ bytes });
      const bob = as('bob');
      for (const id of ['mine', own.id])
        for (const ask of [bob.get, bob.bytes, bob.report, bob.remove])
          await expect(ask(id)).rejects.toMatchObject({ code: 'template_not_found' });
      await expect(bob.get('mime')).rejects.not.toThrow(/Did you mean/);
      await expect(
        documentsWithin(world.documents, { ...EVERYTHING, owner: 'bob' }).preview('mine', {}, {}),
      ).rejects.toMatchObject({ code: 'template_not_found' });
      await expect(bob.remove('letter')).rejects.toMatchObject({ code: 'template_shared' });
      await expect(bob.add({ name: 'letter', bytes, by: 'bob' })).rejects.toMatchObject({
        code: 'template_shared',
      });
      for (const owner of ['bob', null])
        await expect(as(owner).add({ name: 'mine', bytes, by: 'op' })).rejects.toMatchObject({
          code: 'template_name_taken',
        });
      await expect(bob.add({ name: 'pipeline:x', bytes, by: 'bob' })).rejects.toMatchObject({
        code: 'invalid_name',
      });
      expect(await as('ada').remove('mine')).toEqual({ removed: [own.id] });
    });

    test('makes documents for its owner alone, also by jobs and batches', async () => {
      const bytes = template('Dear {{Name}}');
      const { template: own } = await as('ada').add({ name: 'mine', bytes, by: 'ada' });
      const { documents, queue } = world;
      const none = { code: 'template_not_found' };
      for (const submitter of ['bob', undefined]) {
        await expect(documents.generate(one(own.id), { submitter })).rejects.toMatchObject(none);
        await expect(
          documents.batches.create({ templateId: 'mine' }, { rows: [{}] }, { submitter }),
        ).rejects.toMatchObject(none);
      }
      await expect(
        documents.batches.check({ templateId: 'mine' }, { rows: [{}] }, { owner: 'bob' }),
      ).rejects.toMatchObject(none);
      expect(
        (await documents.generate(one('mine'), { submitter: 'ada' })).output.size,
      ).toBeGreaterThan(0);
      const data = one('mine');
      const theirs = await queue.enqueue({ kind: 'document', data, submitter: 'bob' });
      const hers = await queue.enqueue({ kind: 'document', data, submitter: 'ada' });
      world.startWorker();
      await Promise.all([world.ended(theirs.id), world.ended(hers.id)]);
      expect(await queue.get(theirs.id)).toMatchObject({ state: 'FAILED' });
      expect(await queue.get(hers.id)).toMatchObject({ state: 'SUCCEEDED' });
    });
  });

  test('a preview is made and not kept', async () => {
    await add('letter');
    const { documents, office } = world;
    const pdf = await documents.preview('letter', { Name: 'Ann' });
    expect(Buffer.from(pdf).toString()).toBe('%PDF Dear Ann');
    expect(office.calls).toMatchObject([{ lane: 'interactive' }]);
    const docx = await documents.preview('letter', { Name: 'Ann' }, { outputFormat: 'DOCX' });
    expect(Buffer.from(docx).subarray(0, 2).toString()).toBe('PK');
    await expect(documents.preview('letter', {}, { locale: 'no locale' })).rejects.toMatchObject({
      code: 'validation_error',
      detail: 'bad_locale',
    });
    expect((await documents.files.list()).items).toEqual([]);
  });
});
