import type { SettledOutcome } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  LEVELS,
  account,
  claim,
  docx,
  made,
  only,
  pdf,
  running,
  settle,
  settleAll,
} from '../test/documents.ts';
import { DOCUMENT, SUCCEEDED, files, shown, strayFiles, values } from '../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import { type SalesforceStore, filesEffect } from './index.ts';

describe.each(LEVELS)('files, with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;

  beforeEach(async () => {
    world = await startOrg({ apex });
    store = world.open({}, AT_ONCE);
  });
  afterEach(() => world.close());

  it('a PDF and its merged DOCX, with three parents each', async () => {
    const parents = [await account(world.org, 'A'), await account(world.org, 'B')];
    parents.push(
      await world.org.org.insert('Opportunity', {
        Name: 'C',
        StageName: 'Open',
        CloseDate: '2026-01-01',
      }),
    );
    const { id, job } = await running(world, store);
    expect(await settle(store, job, made(parents, [pdf(), docx()]))).toBe('settled');
    expect(files(world.org)).toEqual([
      { name: 'invoice.pdf', parents: parents.toSorted() },
      { name: 'invoice.docx', parents: parents.toSorted() },
    ]);
    const [output, merged] = world.org.org.files();
    expect(world.org.org.record(id)).toMatchObject({
      Status__c: 'SUCCEEDED',
      OutputFileId__c: output?.versionId,
      MergedDocxFileId__c: merged?.versionId,
    });
    const links = world.org.org
      .records('ContentDocumentLink')
      .filter(({ ShareType: type }) => type === 'V');
    expect(links).toHaveLength(6);
    for (const link of links) expect(link).toMatchObject({ Visibility: 'AllUsers' });
  });

  it('a record of any object can be a parent, and the links say who sees the file', async () => {
    const contact = await world.org.org.insert('Contact', { LastName: 'Ann' });
    const { job } = await running(world, store);
    const links = { parents: [contact, job.id.slice(-18)], visibility: 'InternalUsers' } as const;
    const outcome = { ...made(), effects: [filesEffect([pdf()], links)] };
    expect(await settle(store, job, outcome)).toBe('settled');
    expect(files(world.org)).toEqual([
      { name: 'invoice.pdf', parents: [...links.parents].toSorted() },
    ]);
    const given = world.org.org
      .records('ContentDocumentLink')
      .filter(({ ShareType: type }) => type === 'V')
      .map(({ Visibility: visibility }) => visibility);
    expect(given).toEqual(['InternalUsers', 'InternalUsers']);
  });

  it('without a parent, the record alone names its file', async () => {
    const { id, job } = await running(world, store);
    expect(await settle(store, job, made([]))).toBe('settled');
    const [file] = world.org.org.files();
    expect(file?.parents).toEqual([]);
    expect(world.org.org.record(id)).toMatchObject({ OutputFileId__c: file?.versionId });
  });

  it.each([
    ['quotes', String.raw`O'Brien "the first" \\ {{x}}.pdf`],
    ['other scripts', 'Rechnung Größe 請求書 فاتورة.pdf'],
    ['emoji', 'Party 🎉👩‍👩‍👧.pdf'],
    ['more emoji than fit, the last in the middle', `${'🎉'.repeat(255)}.pdf`],
  ])('a name with %s', async (_, name) => {
    const { id, job } = await running(world, store);
    expect(await settle(store, job, made([], [pdf(name)]))).toBe('settled');
    const [file] = world.org.org.files();
    const stem = name.slice(0, -'.pdf'.length);
    expect(stem.startsWith(file?.title ?? 'none')).toBe(true);
    expect(file?.title.isWellFormed()).toBe(true);
    expect(file?.title.length).toBeGreaterThanOrEqual(Math.min(stem.length, 254));
    expect(file?.extension).toBe('pdf');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
  });

  it('text that looks like a reference is kept as text', async () => {
    const text = '@{output.id} and @{nobody.knows}';
    const { id, job } = await running(world, store);
    const outcome = made([], [pdf(`${text}.pdf`)]);
    const result = JSON.stringify({ text, '@{key': 1 });
    expect(await settle(store, job, { ...outcome, result } as SettledOutcome)).toBe('settled');
    expect(files(world.org)).toEqual([
      { name: '@ {output.id} and @ {nobody.knows}.pdf', parents: [] },
    ]);
    expect(JSON.parse(String(values(world.org, DOCUMENT, 'Result__c')))).toEqual(
      JSON.parse(result),
    );
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('whom it is about was erased while it was made: no file, and nothing that it says', async () => {
    const parent = await account(world.org);
    const { id, job } = await running(world, store, { Subject__c: 'person-9' });
    const neighbour = await running(world, store, { Subject__c: 'person-1' });
    expect(await store.erase({ subject: 'person-9' })).toBe(1);
    const answers = await settleAll(store, [job, neighbour.job], () => made([parent]));
    expect(answers).toEqual(['settled', 'settled']);
    expect(world.org.org.record(id)).toMatchObject({
      Status__c: 'SUCCEEDED',
      RequestJSON__c: null,
      Result__c: null,
      OutputFileId__c: null,
      Subject__c: 'person-9',
    });
    expect(files(world.org)).toEqual([{ name: 'invoice.pdf', parents: [parent] }]);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a job with such text in its data, and a key', async () => {
    const payload = JSON.stringify({ greeting: 'Dear @{record.id}' });
    const base = { kind: 'document', payload, maxAttempts: 4, tenant: '', priority: null };
    const key = { value: 'order-7', windowMs: 0 };
    await store.enqueue({ jobs: [{ ...base, key, correlationId: '@{record.id}' }] });
    const job = only(await claim(store));
    expect(JSON.parse(job.payload ?? '')).toEqual(JSON.parse(payload));
    const error = { code: 'unknown', message: 'no @{record.id}', retryable: false };
    expect(await settle(store, job, { move: 'fail', error, stack: null })).toBe('settled');
    // The old record gives its key up to the new one.
    await store.enqueue({ jobs: [{ ...base, key }] });
    expect(JSON.parse(only(await claim(store)).payload ?? '')).toEqual(JSON.parse(payload));

    const refused = { key: { ...key, value: 'a@{b' } };
    await expect(store.enqueue({ jobs: [{ ...base, ...refused }] })).rejects.toThrow('reference');
    await expect(store.enqueue({ jobs: [{ ...base, subject: '@{c' }] })).rejects.toThrow('subject');
  });
});
