import { JobFailure, type Outcome, done } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FleetClock, PACE, createFleetClock } from '../test/clock.ts';
import { LEVELS, account, docx, pdf, waiting } from '../test/documents.ts';
import { DOCUMENT, strayFiles, text } from '../test/inside.ts';
import { type World, startOrg } from '../test/org.ts';
import {
  type Replica,
  type Run,
  documentKind,
  eventually,
  openReplica,
  overIn,
} from '../test/worker.ts';
import { isLong } from '../../../scripts/need.mjs';
import { filesEffect } from './index.ts';

const RECORDS = isLong ? 200 : 50;
const REPLICAS = isLong ? [2, 5] : [3];
/** Take-overs must not make anybody fail: here they are many. */
const ATTEMPTS = 200;

const failsOnPurpose = (n: number): boolean => n % 25 === 7;
const failsAtFirst = (n: number): boolean => n % 25 === 13;
const hasDocx = (n: number): boolean => n % 10 === 0;

describe.each(LEVELS)('a fleet and an org that fails now and then, with $level', ({ apex }) => {
  let world: World;
  let clock: FleetClock;
  let parents: string[];

  beforeEach(async () => {
    clock = createFleetClock();
    world = await startOrg({ apex, seed: 7, lockWaitMs: 2_000 / PACE, now: clock.now });
    parents = [await account(world.org, 'A'), await account(world.org, 'B')];
    for (let n = 0; n < RECORDS; n += 1)
      await waiting(world.org, {
        RequestJSON__c: JSON.stringify({ n }),
        MaxAttempts__c: ATTEMPTS,
      });
  });
  afterEach(async () => {
    await world.close();
    clock.close();
  });

  function parentsOf(n: number): string[] {
    return parents.slice(0, 1 + (n % 2));
  }

  async function make({ data: { n }, attempt }: Parameters<Run>[0]): Promise<Outcome> {
    if (failsOnPurpose(n))
      throw new JobFailure('validation_error', 'As asked.', { retryable: false });
    if (failsAtFirst(n) && attempt === 1) throw new Error('The first time it does not work.');
    // Records keep whole seconds, so a lease of 2 s may be one of 1 s: these have to renew theirs, or lose it.
    await clock.wait(n % 25 === 1 ? 900 : 1);
    const files = [pdf(`n-${n}.pdf`), ...(hasDocx(n) ? [docx(`n-${n}.docx`)] : [])];
    return done({ n }, { effects: [filesEffect(files, { parents: parentsOf(n) })] });
  }

  function misbehave(): void {
    const { faults } = world.org;
    faults.add({ kind: 'latency', ms: 4, probability: 0.3 });
    faults.add({ kind: 'unavailable', probability: 0.04 });
    faults.add({ kind: 'cut-before', probability: 0.04 });
    faults.add({ kind: 'cut-after', method: 'POST', probability: 0.08 });
    faults.add({ kind: 'lock', object: DOCUMENT, probability: 0.02 });
    // A connection asks for five tokens a minute at most.
    faults.add({ kind: 'session-expired', every: 20, times: 3 });
  }

  function start(id: string, run = make): Replica {
    const replica = openReplica(world, documentKind(run), {
      id,
      lease: '2s',
      pool: { concurrency: 20, batch: 10 },
      clock,
      parts: { now: clock.now, sleep: (ms) => clock.wait(ms / 100) },
    });
    replica.worker.start();
    return replica;
  }

  /** Makes a few, then hangs with records in its hands until its connection is gone: it never says a word of them. */
  async function startVictim(id: string): Promise<Replica> {
    let begun = 0;
    const replica = start(id, (job) => {
      begun += 1;
      return begun <= 3 ? make(job) : new Promise(() => {});
    });
    await eventually('the victim has records in its hands', () => begun > 6);
    return replica;
  }

  function expectWhole(): void {
    const files = new Map(world.org.org.files().map((file) => [file.versionId, file]));
    expect(strayFiles(world.org)).toEqual([]);
    const records = world.org.org.records(DOCUMENT);
    let expected = 0;
    for (const record of records) {
      const { n } = JSON.parse(text(record, 'RequestJSON__c')) as { n: number };
      const [output, merged] = [
        text(record, 'OutputFileId__c'),
        text(record, 'MergedDocxFileId__c'),
      ];
      if (failsOnPurpose(n)) {
        expect(record).toMatchObject({ Status__c: 'FAILED', ErrorCode__c: 'validation_error' });
        expect([output, merged]).toEqual(['', '']);
        continue;
      }
      expect(record).toMatchObject({ Status__c: 'SUCCEEDED', LeaseToken__c: null });
      const made = [output, ...(hasDocx(n) ? [merged] : [])].map((id) => files.get(id));
      for (const file of made) {
        expect(file?.title).toBe(`n-${n}`);
        expect(file?.parents.toSorted()).toEqual(parentsOf(n).toSorted());
      }
      expected += made.length;
    }
    expect(records).toHaveLength(RECORDS);
    expect(files.size).toBe(expected);
    expect(world.org.org.records('ContentDocument')).toHaveLength(expected);
  }

  it.each(REPLICAS)(
    '%i replicas, one of which goes away: none lost, none twice',
    async (count) => {
      misbehave();
      const victim = await startVictim('worker-1');
      const others = Array.from({ length: count - 1 }, (_, index) => start(`worker-${index + 2}`));
      await eventually('a third is over', () => overIn(world.org) > RECORDS / 3);
      await victim.store.close();
      // With what the victim still held: somebody has taken it over, also where the answer that said so was lost.
      await eventually('all are over', () => overIn(world.org) === RECORDS);
      const strikes = world.org.faults.list().reduce((sum, { struck }) => sum + struck, 0);
      expect(strikes).toBeGreaterThan(RECORDS / 10);
      world.org.faults.clear();
      await Promise.all([victim, ...others].map(({ worker }) => worker.stop()));
      expectWhole();
    },
    120_000,
  );
});
