import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEVELS, running } from '../test/documents.ts';
import { DOCUMENT, shown } from '../test/inside.ts';
import { type World, startOrg } from '../test/org.ts';
import type { SalesforceStore } from './index.ts';

/** What callers may have done with the rights of the service: settle a record, and read a file. */

const TOKEN = 'born-with-its-record';

describe.each(LEVELS)('with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;
  beforeEach(async () => {
    world = await startOrg({ apex });
    store = world.open();
  });
  afterEach(() => world.close());

  /** As Apex makes it for someone who waits. */
  function waitedFor(fields: object = {}): Promise<string> {
    return world.org.org.insert(DOCUMENT, {
      Status__c: 'PROCESSING',
      Epoch__c: 1,
      LeaseToken__c: TOKEN,
      LockedUntil__c: new Date(world.org.now() + 600_000),
      RequestJSON__c: '{"a":1}',
      ...fields,
    });
  }

  describe('a record that somebody waits for', () => {
    it('is held by who shows its lease, and says whose it is and what was asked for', async () => {
      const recordId = await waitedFor();
      expect(await store.interactive({ recordId, token: TOKEN })).toMatchObject({
        recordId,
        epoch: 1,
        token: TOKEN,
        request: '{"a":1}',
        submitter: null,
      });
    });

    it('says whom it names', async () => {
      const recordId = await waitedFor({ Submitter__c: 'ada@example.com' });
      expect(await store.interactive({ recordId, token: TOKEN })).toMatchObject({
        submitter: 'ada@example.com',
      });
    });

    it.each(['', 'another', TOKEN.toUpperCase()])(
      'is not held by who shows "%s"',
      async (token) => {
        expect(await store.interactive({ recordId: await waitedFor(), token })).toBeNull();
      },
    );

    it('is held by nobody when it has ended', async () => {
      const recordId = await waitedFor({ Status__c: 'FAILED' });
      expect(await store.interactive({ recordId, token: TOKEN })).toBeNull();
    });

    it('is not held by who guesses the lease of its worker', async () => {
      const { id } = await running(world, store);
      const token = String(shown(world.org, id)['LeaseToken']);
      expect(await store.interactive({ recordId: id, token })).toBeNull();
    });
  });

  describe('a file', () => {
    const file = (fields: object = {}): Promise<string> =>
      world.org.org.insert('ContentVersion', {
        Title: 'Letter',
        PathOnClient: 'letter.docx',
        VersionData: 'eA==',
        ...fields,
      });
    const template = (version: string | null): Promise<string> =>
      world.org.org.insert('Docgen_Template__c', { Name: 'Letter', ContentVersionId__c: version });

    it('is a template where one names its version, in 18 characters or in 15', async () => {
      const [one, two] = [await file(), await file()];
      await template(one);
      await template(two.slice(0, 15));
      expect(await store.isTemplate(one)).toBe(true);
      expect(await store.isTemplate(one.slice(0, 15))).toBe(true);
      expect(await store.isTemplate(two)).toBe(true);
    });

    it('is a template in its earlier versions, which records that wait may name', async () => {
      const old = await file();
      const ContentDocumentId = world.org.org.record(old)?.['ContentDocumentId'];
      await template(await file({ ContentDocumentId }));
      expect(await store.isTemplate(old)).toBe(true);
    });

    it('is none where no template names it, nor where it is not there', async () => {
      const [confidential, named] = [await file(), await file()];
      await template(named);
      await template(null);
      expect(await store.isTemplate(confidential)).toBe(false);
      expect(await store.isTemplate('068Wz00000zzzzzIAA')).toBe(false);
    });

    it('is none because another id differs from its own by upper and lower case only', async () => {
      await template('068Wz00000zzzzz');
      expect(await store.isTemplate('068wZ00000ZZZZZ')).toBe(false);
    });
  });
});
