import { type CallReport } from '@millrace/salesforce';
import { afterEach, describe, expect, it } from 'vitest';
import { LEVELS, claim, claimParams, made, settleAll, waiting } from '../test/documents.ts';
import { type World, startOrg } from '../test/org.ts';

// Whoever looks for a document in the org's logs finds every call for it by one id.

let world: World;
afterEach(() => world.close());

describe.each(LEVELS)('with $level', ({ apex }) => {
  async function start() {
    world = await startOrg({ apex });
    const calls: CallReport[] = [];
    const store = world.open({}, { onCall: (report) => calls.push(report) });
    await store.level();
    const said = () =>
      calls
        .splice(0)
        .flatMap(({ requests, correlationId }) => (requests > 0 ? [correlationId] : []));
    return { store, said };
  }

  it('a record without a correlation id has one from its first claim on, and keeps it', async () => {
    const { store } = await start();
    const [id, named] = [
      await waiting(world.org),
      await waiting(world.org, { CorrelationId__c: 'theirs' }),
    ];
    const jobs = await claim(store);
    const own = world.org.org.record(id)?.['CorrelationId__c'];
    expect(own).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(jobs.map(({ correlationId }) => correlationId)).toEqual([own, 'theirs']);
    expect(world.org.org.record(named)).toMatchObject({ CorrelationId__c: 'theirs' });
  });

  it('a claim and what it settles say whose they are', async () => {
    const { store, said } = await start();
    await claim(store); // looks for old records once
    await waiting(world.org, { CorrelationId__c: 'one' });
    await waiting(world.org, { CorrelationId__c: 'two' });
    said();
    const params = claimParams();
    const { jobs } = await store.claim(params);
    const mark = `${params.worker}/${params.claim}`;
    expect(new Set(said())).toEqual(new Set([mark]));
    await settleAll(store, jobs, () => made());
    expect(said()).toContain('one,two');
  });
});
