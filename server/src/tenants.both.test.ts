import { type RouteName, contracts } from '@millrace/api';
import { DOCX_TYPE } from '@millrace/documents/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docx, p } from '../../docx/test/builder.ts';
import {
  type Answer,
  type Asked,
  type TenantsWorld,
  type Things,
  startTenants,
} from '../test/tenants.ts';
import { DECISIONS, names, of } from '../test/strangers.ts';

/**
 * Every route that there is, called by an operator of one tenant with the ids, cursors, filters and event ids of another.
 */

/** An answer without what differs from request to request. */
const bare = ({ text }: Answer, id: string) =>
  text.replaceAll(id, 'ID').replaceAll(/"correlationId":"[^"]*"/g, '');

test('every route has a decision about strangers, and every decision a route', () => {
  expect(Object.keys(DECISIONS).toSorted()).toEqual(names.toSorted());
});

/** As a rule the first parameter of the path names the thing. */
function about(name: RouteName, id: string, asked: Asked = {}): Asked {
  const decision = DECISIONS[name];
  const [, first = 'id'] = /:(\w+)/.exec(contracts[name].path) ?? [];
  const param = decision.of === 'one' ? (decision.param ?? first) : first;
  return { ...asked, params: { ...asked.params, [param]: id } };
}

describe('a stranger', () => {
  let world: TenantsWorld;
  let theirs: Things;
  let own: Things;
  /** All that acme has, which no stranger and no member of theirs changes. */
  let before: readonly string[];
  /** After whatever could write: what only reads would be noticed by the next, or by the test after all of them. */
  async function expectUnchanged(name?: RouteName): Promise<void> {
    if (name !== undefined && contracts[name].method === 'GET') return;
    expect(await world.snapshot('acme', theirs)).toEqual(before);
  }

  beforeAll(async () => {
    world = await startTenants();
    own = await world.furnish('globex');
    theirs = await world.furnish('acme');
    before = await world.snapshot('acme', theirs);
  }, 240_000);
  afterAll(() => world.close(), 60_000);

  test.each(of('one'))(
    '%s: the id of another tenant is one that nobody has',
    async (name, decision) => {
      const ask = (id: string) =>
        world.operator('globex', name, about(name, id, decision.asked?.(theirs)));
      const [stranger, nobody] = [await ask(decision.id(theirs)), await ask(decision.none)];
      expect(stranger.status).toBe(404);
      expect(bare(stranger, decision.id(theirs))).toBe(bare(nobody, decision.none));
      await expectUnchanged(name);
    },
  );

  test.each(of('one'))('%s: its own tenant has it', async (name, decision) => {
    if (contracts[name].method !== 'GET') return;
    const asked = about(name, decision.id(own), decision.asked?.(own));
    const { status } = await world.operator('globex', name, asked);
    // What was made is DOCX, of which there is no merged PDF.
    expect(status).toBeOneOf(name === 'downloadMerged' ? [409, 422, 400] : [200]);
  });

  test.each(of('many').filter(([name]) => name !== 'events'))(
    '%s: has nothing of another tenant, by filter or by cursor',
    async (name, { filters }) => {
      const cursor = theirs.next.get(name);
      const queries = [...filters(theirs), ...(cursor === undefined ? [] : [{ cursor }])];
      for (const query of queries) {
        const { status, text } = await world.operator('globex', name, { query });
        expect(status, JSON.stringify(query)).toBeOneOf([200, 400]);
        expect(text, JSON.stringify(query)).not.toContain('acme');
        const named = await world.operator('globex', name, {
          query,
          headers: { 'millrace-tenant': 'acme' },
        });
        expect(named).toMatchObject({
          status: 403,
          text: expect.stringContaining('tenant_not_allowed'),
        });
      }
    },
  );

  test.each(of('one').filter(([, { shared }]) => shared !== true))(
    '%s: what somebody else of the tenant made is nobody’s for a member',
    async (name, decision) => {
      const member = await world.token('acme', 'member');
      const ask = (id: string) =>
        world.call(member, name, about(name, id, decision.asked?.(theirs)));
      const [other, nobody] = [await ask(decision.id(theirs)), await ask(decision.none)];
      expect(other.status).toBeOneOf([403, 404]);
      expect(bare(other, decision.id(theirs))).toBe(bare(nobody, decision.none));
      await expectUnchanged(name);
    },
  );

  test('what was asked for by id is as it was', () => expectUnchanged());

  // Templates, and the snippets that these have shared, are the tenant's.
  const ofSomebody = of('many').filter(
    ([name]) => !['events', 'listTemplates', 'listSnippets'].includes(name),
  );
  test.each(ofSomebody)(
    '%s: has nothing for a member that somebody else of the tenant made',
    async (name, { filters }) => {
      const member = await world.token('acme', 'member');
      const cursor = theirs.next.get(name);
      for (const query of [...filters(theirs), ...(cursor === undefined ? [] : [{ cursor }])]) {
        const { status, text } = await world.call(member, name, { query });
        expect(status, JSON.stringify(query)).toBeOneOf([200, 400, 403]);
        const { job, failed, file, batch, run, report, pipelineRun, saved } = theirs;
        for (const id of [job, failed, file, batch, run, report, pipelineRun, saved])
          expect(text, JSON.stringify(query)).not.toContain(`"${id}"`);
        expect(text).not.toContain('operator@acme');
      }
    },
  );

  test.each(of('body'))(
    '%s: a member’s body reaches nothing that somebody else of the tenant made',
    async (name, { member }) => {
      if (member === null) return;
      const all = await world.snapshot('acme', theirs);
      const { status, text } = await world.call(
        await world.token('acme', 'member'),
        name,
        member.asked(),
      );
      expect([status, text]).toEqual([
        member.answer.status,
        expect.stringMatching(member.answer.text),
      ]);
      expect(text).not.toMatch(new RegExp(`"${theirs.job}"|operator@acme`));
      expect(await world.snapshot('acme', theirs)).toEqual(all);
    },
  );

  test.each(of('all'))('%s: is not for members', async (name) => {
    const params = { kind: 'wait', subject: 'someone', name: 'nightly', id: theirs.failed };
    expect(await world.call(await world.token('acme', 'member'), name, { params })).toMatchObject({
      status: 403,
      text: expect.stringContaining('role_missing'),
    });
  });

  test('a name belongs to who came with it first, and what they made stays theirs', async () => {
    const as = (oid: string, name: string) =>
      world.issuer.sign({
        oid,
        sub: `pairwise ${oid}`,
        preferred_username: name,
        roles: ['member'],
        tenants: ['wonka'],
      });
    const ada = await as('oid-ada', 'ada@wonka');
    const body = { kind: 'wait', data: {}, delay: '1h' };
    const { id } = JSON.parse((await world.call(ada, 'enqueue', { body })).text) as { id: string };
    const shownTo = async (token: string) =>
      (await world.call(token, 'getJob', { params: { id } })).status;
    expect(await shownTo(ada)).toBe(200);
    const heir = await as('oid-heir', 'ada@wonka');
    expect(await shownTo(heir)).toBe(404);
    expect((await world.call(heir, 'me')).text).toContain('"user:oid-heir"');
    expect(await shownTo(await as('oid-ada', 'ada.lovelace@wonka'))).toBe(200);
    expect((await world.call(ada, 'cancelJob', { params: { id } })).status).toBe(200);
  });

  test('sums are of one tenant: what the other has is not counted', async () => {
    const states = async (tenant: string) =>
      (await world.ok<{ states: object }>(tenant, 'counts')).states;
    // Both have the same.
    expect(await states('globex')).toEqual(await states('acme'));
    const { currentScheduled } = await world.ok<{ currentScheduled: number }>(
      'globex',
      'workerStatus',
    );
    expect(currentScheduled).toBe(1);
    expect(await world.ok('initech', 'counts')).toMatchObject({
      states: { QUEUED: 0, SUCCEEDED: 0 },
      counts: [],
    });
  });

  test.each(of('body'))(
    '%s: a body that names another tenant’s',
    async (name, { asked, answer }) => {
      const all = await world.snapshot('acme', theirs);
      const { status, text } = await world.operator('globex', name, asked(theirs));
      expect([status, text]).toEqual([answer.status, expect.stringMatching(answer.text)]);
      expect(await world.snapshot('acme', theirs)).toEqual(all);
    },
  );

  test.each(of('all'))('%s: is not for those of one tenant', async (name) => {
    const params = { kind: 'wait', subject: 'someone', name: 'nightly', id: theirs.failed };
    expect(await world.operator('globex', name, { params })).toMatchObject({
      status: 403,
      text: expect.stringContaining('role_missing'),
    });
  });

  test('events: neither the present, nor what happens, nor what another has heard', async () => {
    for (const query of [
      {},
      { tenant: 'acme' },
      { id: theirs.job },
      { correlationId: 'acme-request' },
    ]) {
      const stream = await world.open('globex', { query: { ...query, topics: 'job,queue' } });
      await stream.until(/"type":"live"/);
      const all = await world.open('globex', { query: { topics: 'job' } });
      await all.until(/"type":"live"/);
      const body = { kind: 'wait', data: { of: 'acme' }, delay: '1h' };
      const { id } = await world.ok<{ id: string }>('acme', 'enqueue', {
        body,
        headers: { 'x-correlation-id': 'acme-request' },
      });
      await world.ok('acme', 'cancelJob', { params: { id } });
      const mine = await world.ok<{ id: string }>('globex', 'enqueue', {
        body: { kind: 'wait', delay: '1h' },
      });
      // Events have an order: what came before this one has been told.
      const heard = await all.until(new RegExp(`"id":"${mine.id}"`));
      expect(heard).not.toContain('acme');
      await world.ok('globex', 'cancelJob', { params: { id: mine.id } });
      await all.close();
      const text = await stream.until(/"type":"live"/);
      expect(text, JSON.stringify(query)).not.toContain('acme');
      await stream.close();
    }
  });

  test('events: a member hears nothing of what somebody else of the tenant does', async () => {
    const member = await world.token('acme', 'member');
    const body = { kind: 'wait', delay: '1h' };
    for (const query of [{}, { id: theirs.job }, { correlationId: 'acme-request' }]) {
      const all = await world.open('acme', { query: { topics: 'job' } }, 'member');
      const asked = { query: { ...query, topics: 'job,run,report,pipeline' } };
      const stream = await world.open('acme', asked, 'member');
      for (const each of [all, stream]) await each.until(/"type":"live"/);
      const { id } = await world.ok<{ id: string }>('acme', 'enqueue', {
        body,
        headers: { 'x-correlation-id': 'acme-request' },
      });
      await world.ok('acme', 'cancelJob', { params: { id } });
      const made = await world.call(member, 'enqueue', { body });
      const { id: mine } = JSON.parse(made.text) as { id: string };
      // Events have an order: what came before this one has been told.
      const heard = await all.until(new RegExp(`"id":"${mine}"`));
      const text = await stream.until(/"type":"live"/);
      await world.call(member, 'cancelJob', { params: { id: mine } });
      for (const each of [all, stream]) await each.close();
      for (const other of [id, theirs.job, theirs.failed, theirs.run, theirs.pipelineRun])
        expect(heard + text, JSON.stringify(query)).not.toContain(`"${other}"`);
    }
  });

  test('the output cache gives a member nothing that somebody else of the tenant made', async () => {
    const colleague = await world.issuer.sign({
      oid: 'oid-bob',
      sub: 'pairwise bob',
      preferred_username: 'bob@acme',
      roles: ['member'],
      tenants: ['acme'],
    });
    const asked = {
      body: {
        templateId: 'letter',
        outputFileName: 'x',
        outputFormat: 'DOCX',
        data: { Name: 'x' },
      },
      headers: { accept: 'application/json' },
    };
    const cached = async () =>
      (JSON.parse((await world.call(colleague, 'generate', asked)).text) as { cached: boolean })
        .cached;
    expect([await cached(), await cached()]).toEqual([false, true]);
  });

  test('the same key and the same name are two things in two tenants', async () => {
    expect(theirs.job).not.toBe(own.job);
    expect(theirs.template).not.toBe(own.template);
    const again = { kind: 'wait', data: {}, key: 'same', delay: '1h' };
    expect(await world.ok('globex', 'enqueue', { body: again })).toEqual({
      id: own.job,
      created: false,
    });
  });

  test('the output cache gives nobody another tenant’s bytes', async () => {
    for (const tenant of ['globex', 'acme']) {
      const body = {
        templateId: 'letter',
        outputFileName: 'x',
        outputFormat: 'DOCX',
        data: { Name: 'x' },
      };
      const again = await world.ok<{ cached: boolean; file: { sha256: string } }>(
        tenant,
        'generate',
        {
          body,
          headers: { accept: 'application/json' },
        },
      );
      const first = await world.ok<{ sha256: string }>(tenant, 'getFile', {
        params: { id: (tenant === 'acme' ? theirs : own).file },
      });
      expect(again).toMatchObject({ cached: true, file: { sha256: first.sha256 } });
    }
    // The same template and data for the first time in this tenant: made again, although the bytes are elsewhere.
    const upload = { type: DOCX_TYPE, bytes: docx(p('acme: dear {{Name}}')) };
    await world.ok('initech', 'addTemplate', { params: { id: 'letter' }, upload });
    const body = {
      templateId: 'letter',
      outputFileName: 'x',
      outputFormat: 'DOCX',
      data: { Name: 'x' },
    };
    const headers = { accept: 'application/json' };
    expect(await world.ok('initech', 'generate', { body, headers })).toMatchObject({
      cached: false,
    });
  });

  test('an admin crosses, and the audit log has it', async () => {
    const admin = await world.token('hooli', 'admin');
    const read = await world.call(admin, 'getJob', { params: { id: theirs.job } });
    expect(read).toMatchObject({ status: 200, text: expect.stringContaining('acme') });
    const entries = async (as: string) =>
      (
        JSON.parse(
          (await world.call(as, 'listAudit', { query: { actor: 'admin@hooli' } })).text,
        ) as {
          entries: object[];
        }
      ).entries;
    expect(await entries(await world.token('acme', 'operator'))).toMatchObject([
      {
        action: 'getJob',
        target: theirs.job,
        tenants: ['acme'],
        subject: 'admin@hooli',
        outcome: 'done',
      },
    ]);
    expect(await entries(await world.token('globex', 'operator'))).toEqual([]);
    await world.call(admin, 'getJob', { params: { id: 'pg-999999' } });
    expect(await entries(await world.token('acme', 'operator'))).toHaveLength(1);
  });

  test('what an admin reads of all tenants is seen by each, without a word of another', async () => {
    const admin = await world.token('piedpiper', 'admin');
    const reads = ['listFiles', 'listTemplates', 'listBatches', 'listAudit'] as const;
    for (const name of reads) {
      const query = name === 'listFiles' ? { correlationId: 'acme-request' } : {};
      expect((await world.call(admin, name, { query })).status).toBe(200);
    }
    await world.call(admin, 'cancelJobs', { body: { kind: 'wait', correlationId: 'acme-none' } });
    const stream = await world.open('piedpiper', {}, 'admin');
    await stream.close();
    for (const tenant of ['acme', 'globex', 'initech']) {
      const query = { actor: 'admin@piedpiper' };
      const { text } = await world.operator(tenant, 'listAudit', { query });
      const { entries } = JSON.parse(text) as { entries: { action: string }[] };
      expect(entries.map(({ action }) => action)).toEqual([
        'events',
        'cancelJobs',
        ...reads.toReversed(),
      ]);
      expect(text).not.toMatch(/"(acme|globex|initech)|acme-/);
    }
  });

  test('documents are downloaded by operators and by the member who made them, and that is audited', async () => {
    const [viewer, member] = [
      await world.token('acme', 'viewer'),
      await world.token('acme', 'member'),
    ];
    const download = async (as: string, id: string) =>
      (await world.call(as, 'downloadFile', { params: { id } })).status;
    expect(await download(viewer, theirs.file)).toBe(403);
    expect((await world.call(viewer, 'getFile', { params: { id: theirs.file } })).status).toBe(200);
    expect(await download(member, theirs.file)).toBe(404);
    expect((await world.call(member, 'getBatch', { params: { id: theirs.batch } })).status).toBe(
      404,
    );
    const made = await world.call(member, 'generate', {
      body: {
        templateId: 'letter',
        outputFileName: 'x',
        outputFormat: 'DOCX',
        data: { Name: 'm' },
      },
      headers: { accept: 'application/json' },
    });
    const { file } = JSON.parse(made.text) as { file: { id: string } };
    expect(await download(member, file.id)).toBe(200);
    const files = JSON.parse((await world.call(member, 'listFiles')).text) as {
      files: { id: string }[];
    };
    expect(files.files.map(({ id }) => id)).toEqual([file.id]);
    const query = { action: 'downloadFile', actor: 'member@acme' };
    expect(await world.ok('acme', 'listAudit', { query })).toMatchObject({
      entries: [{ target: file.id, subject: 'member@acme', tenants: ['acme'], outcome: 'done' }],
    });
  });

  test('who has no tenant is refused, with the reason', async () => {
    const nobody = await world.issuer.sign({
      sub: 'n',
      preferred_username: 'n@x',
      roles: ['operator'],
    });
    expect(await world.call(nobody, 'listJobs')).toMatchObject({
      status: 403,
      text: expect.stringContaining('tenant_missing'),
    });
    expect(await world.call(nobody, 'me')).toMatchObject({
      status: 200,
      text: expect.stringContaining('"tenants":[]'),
    });
  });
});
