import { type Documents, salesforceDocumentKind } from '@millrace/documents';
import { type Salesforce, SalesforceError } from '@millrace/salesforce';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../postgres/test/stores.ts';
import {
  type World as Workshop,
  openWorld,
  template,
} from '../../../workloads/documents/test/world.ts';
import { LEVELS, account, waiting } from '../test/documents.ts';
import { SUCCEEDED, files, shown, strayFiles } from '../test/inside.ts';
import { type World, startOrg } from '../test/org.ts';
import { allOver, openReplica } from '../test/worker.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase('pglite');
});
afterAll(() => database.drop());

/** Real merging, with templates from the org; what stands in for the office writes text. */
describe.each(LEVELS)('documents of an org, with $level', ({ apex }) => {
  let world: World;
  let person: Salesforce;
  let workshop: Workshop;
  let documents: Documents;

  beforeEach(async () => {
    world = await startOrg({ apex });
    person = world.connect();
    workshop = await openWorld(database, {
      templatesElsewhere: { has: (id) => id.startsWith('068'), fetch: download },
    });
    ({ documents } = workshop);
  });
  afterEach(async () => {
    await workshop.close();
    await database.reset();
    await world.close();
  });

  async function download(id: string): Promise<Uint8Array | null> {
    try {
      return await person.download(`sobjects/ContentVersion/${id}/VersionData`);
    } catch (error) {
      if (error instanceof SalesforceError && error.kind === 'notFound') return null;
      throw error;
    }
  }

  async function uploadTemplate(): Promise<string> {
    const body = template('Dear {{Name}}');
    const { id } = await person.upload({ name: 'letter.docx', size: body.length, body });
    return id;
  }

  async function deleteTemplate(id: string): Promise<void> {
    const documentId = world.org.org.files().find(({ versionId }) => versionId === id)?.documentId;
    await person.request({ method: 'DELETE', path: `sobjects/ContentDocument/${documentId}` });
  }

  function request(templateId: string, parent: string): Promise<string> {
    return waiting(world.org, {
      RequestJSON__c: JSON.stringify({
        templateId,
        outputFileName: 'letter',
        options: { storeMergedDocx: true },
        data: { Name: 'Ada' },
        parents: { AccountId: parent, OpportunityId: null },
      }),
    });
  }

  it('a template that was deleted: FAILED at once, and its neighbour is made', async () => {
    const parent = await account(world.org);
    const [gone, there] = [await uploadTemplate(), await uploadTemplate()];
    const [lost, made] = [await request(gone, parent), await request(there, parent)];
    await deleteTemplate(gone);

    const kind = salesforceDocumentKind('salesforce', 3);
    const { worker } = openReplica(world, kind, {
      store: { defaultKind: kind.kind },
      services: new Map([[kind.kind, documents]]),
    });
    worker.start();
    await allOver(world.org);
    await worker.stop();

    expect(shown(world.org, lost)).toEqual({
      Status: 'FAILED',
      Attempts: 1,
      ErrorCode: 'template_not_found',
    });
    expect(shown(world.org, made)).toEqual(SUCCEEDED);
    const letters = world.org.org.files().filter(({ versionId }) => versionId !== there);
    expect(letters.map(({ title, extension, parents }) => [title, extension, parents])).toEqual([
      ['letter', 'pdf', [parent]],
      ['letter', 'docx', [parent]],
    ]);
    const [pdf] = letters;
    expect(world.org.org.body(pdf?.versionId ?? '')?.toString()).toBe('%PDF Dear Ada');
    expect(files(world.org)).toHaveLength(3);
    expect(strayFiles(world.org)).toEqual([`${there} is nobody's`]);
  });
});
