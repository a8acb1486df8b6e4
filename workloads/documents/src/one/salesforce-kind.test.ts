import type { JobContext, RunningJob } from '@millrace/engine';
import { OfficeError } from '@millrace/office';
import { FILES } from '@millrace/store-salesforce';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../../stores/postgres/test/stores.ts';
import { type World, openWorld, template } from '../../test/world.ts';
import { type EnvelopeInput, parseEnvelope, salesforceDocumentKind } from '../index.ts';

/** Documents whose template and output are elsewhere: nothing of them stays here. */

const ID = '068000000000001AAA';

let database: TestDatabase;
let world: World;
let fetched: string[];
beforeAll(async () => {
  database = await openTestDatabase('postgres');
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.reset();
  fetched = [];
  world = await openWorld(database, {
    templatesElsewhere: {
      has: (id) => id.startsWith('068'),
      async fetch(id) {
        fetched.push(id);
        return id === ID ? template('Dear {{Name}}') : null;
      },
    },
  });
});
afterEach(() => world.close());

function run(changes: Partial<EnvelopeInput> = {}) {
  const kind = salesforceDocumentKind('org', 0);
  const data = parseEnvelope({
    templateId: ID,
    outputFileName: 'Letter',
    data: { Name: 'Ann' },
    parents: { AccountId: '001000000000001AAA', CaseId: null },
    ...changes,
  });
  const job = { data, tenant: '', correlationId: 'c' } as unknown as RunningJob<unknown>;
  const context = {
    signal: new AbortController().signal,
    pauseTimeout: () => () => {},
  } as unknown as JobContext;
  return kind.run(job, context, world.documents) as Promise<unknown>;
}

test('the file and its parents are an effect, and nothing is kept here', async () => {
  expect(await run()).toMatchObject({
    type: 'done',
    result: { templateId: ID },
    effects: [
      {
        type: FILES,
        links: { parents: ['001000000000001AAA'] },
        files: [{ part: 'output', name: 'Letter.pdf' }],
      },
    ],
  });
  expect((await world.documents.files.list()).items).toEqual([]);
});

test('what the data lacks is said in the result, and nothing where it lacks nothing', async () => {
  expect(await run({ data: { Nmae: 'Ann' } })).toMatchObject({
    result: { warnings: [expect.stringContaining('nothing for Name (it has Nmae)')] },
  });
  expect(await run()).toMatchObject({ result: expect.not.objectContaining({ warnings: [] }) });
});

test('it hangs at the record it was made from, of any object, for those whom the template lets see it', async () => {
  const parents = { AccountId: '001000000000001AAA', RecordId: 'a0B000000000001AAA' };
  expect(await run({ parents, options: { visibility: 'InternalUsers' } })).toMatchObject({
    effects: [
      {
        links: {
          parents: ['001000000000001AAA', 'a0B000000000001AAA'],
          visibility: 'InternalUsers',
        },
      },
    ],
  });
});

test.each([
  ['AccountId', '003000000000001AAA', '001'],
  ['OpportunityId', '001000000000001AAA', '006'],
  ['CaseId', '068000000000001AAA', '500'],
])('%s takes no id of another object', async (name, id, prefix) => {
  await expect(run({ parents: { [name]: id } })).rejects.toMatchObject({
    code: 'validation_error',
    retryable: false,
    message: expect.stringContaining(prefix),
  });
});

test('with storeMergedDocx the DOCX goes along; as DOCX it is the output alone', async () => {
  const options = { storeMergedDocx: true };
  const parts = async (changes: Partial<EnvelopeInput>) => {
    const { effects } = (await run({ options, ...changes })) as {
      effects: { files: { part: string; name: string }[] }[];
    };
    return effects.flatMap(({ files }) => files.map(({ part, name }) => `${part} ${name}`));
  };
  expect(await parts({})).toEqual(['output Letter.pdf', 'docx Letter.docx']);
  expect(await parts({ outputFormat: 'DOCX' })).toEqual(['output Letter.docx']);
});

test('a template is fetched once, and one that is not there has its own reason', async () => {
  await Promise.all([run(), run(), run({ outputFileName: 'Other' })]);
  await run();
  expect(fetched).toEqual([ID]);
  expect(world.documents.templates.cacheStats()).toMatchObject({ misses: 1, hits: 3 });
  await expect(run({ templateId: '068000000000002AAA' })).rejects.toMatchObject({
    code: 'template_not_found',
    retryable: false,
  });
});

test('what breaks in the office is tried again by policy', async () => {
  world.office.before = () => {
    throw new OfficeError('conversion_timeout', 'It took too long.', true);
  };
  await expect(run()).rejects.toMatchObject({ code: 'conversion_timeout', retryable: true });
});

test('waiting for a process of the office is neither the job’s time nor the conversion’s', async () => {
  let now = 0;
  const clock = { now: () => now };
  const own = await openWorld(database, {
    clock,
    templatesElsewhere: { has: () => true, fetch: async () => template('Dear {{Name}}') },
  });
  const turns: string[] = [];
  own.office.free = async () => void (now += 600_000);
  own.office.before = () => void (now += 50);
  const kind = salesforceDocumentKind('org', 0);
  const data = parseEnvelope({ templateId: ID, outputFileName: 'Letter', data: { Name: 'Ann' } });
  const job = { data, tenant: '', correlationId: 'c' } as unknown as RunningJob<unknown>;
  const context = {
    signal: new AbortController().signal,
    pauseTimeout() {
      turns.push(`paused at ${now}`);
      return () => void turns.push(`resumed at ${now}`);
    },
  } as unknown as JobContext;
  try {
    expect(await kind.run(job, context, own.documents)).toMatchObject({
      result: { timings: { wait: 600_000, convert: 50 } },
    });
    expect(turns).toEqual(['paused at 0', 'resumed at 600000']);
    own.office.free = () =>
      Promise.reject(new OfficeError('canceled', 'The office is closed.', true));
    await expect(kind.run(job, context, own.documents)).rejects.toThrow();
    expect(turns.slice(2)).toEqual(['paused at 600050', 'resumed at 600050']);
  } finally {
    await own.close();
  }
});
