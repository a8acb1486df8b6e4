import {
  type ClaimedJob,
  checkSchedule,
  createEvents,
  createQueue,
  createRegistry,
  defineJob,
  dependantsOf,
  done,
  nextTick,
} from '@millrace/engine';
import { createMemoryDatabase } from '@millrace/store-memory';
import { createDice } from '@millrace/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { envelopeSchema } from '../../../documents/src/contract/envelope.ts';
import { SERVICES_FILE, type TestFolder, simpleReport, testFolder } from '../../test/catalogue.ts';
import type { CatalogueView } from '../catalogue/types.ts';
import type { ReportIdentity } from '../identity/types.ts';
import { REPORT, type ReportJob, reportJobSchema } from '../job-data.ts';
import type { ResolvedParameters } from '../parameters/types.ts';
import { followersOf, reportRules } from './book.ts';
import { claimsNeeded } from './claims.ts';
import { type ParentJob, parametersFromParents } from './parents.ts';
import { schedulesOf } from './schedules.ts';

const DAY = Date.UTC(2026, 0, 31);
const HOUR = 3_600_000;
const ada: ReportIdentity = {
  name: 'ada',
  subject: 'a-1',
  service: null,
  roles: ['member'],
  claims: { county: ['19'] },
};
const eve: ReportIdentity = { ...ada, name: 'eve', subject: 'e-1', claims: { county: ['20'] } };

/** Jobs of reports on the memory store, executed by hand. */
function world(view: () => CatalogueView) {
  let now = DAY;
  const kind = defineJob({ kind: REPORT, input: reportJobSchema, run: async () => done(null) });
  const registry = createRegistry([kind]);
  const store = createMemoryDatabase({ now: () => now }).open({
    dependants: dependantsOf(registry, [], [reportRules(view)]),
  });
  const queue = createQueue({ store, registry, events: createEvents() });
  let claims = 0;
  const claim = async (): Promise<ClaimedJob[]> => {
    claims += 1;
    const { jobs } = await store.claim({
      worker: 'w',
      claim: claims,
      wants: [{ kind: REPORT, limit: 100 }],
      limit: 100,
      leaseMs: HOUR,
    });
    return [...jobs];
  };
  const settlementOf = (job: ClaimedJob, parameters: ResolvedParameters, rows: number) => ({
    job,
    outcome: {
      move: 'succeed',
      result: JSON.stringify({ rows, parameters, sha256: 'x' }),
      purgePayload: false,
      effects: [],
    } as const,
    children: [],
  });
  return {
    store,
    claim,
    pass: (ms: number) => (now += ms),
    async begin(report: string, identity = ada): Promise<ClaimedJob> {
      const data: ReportJob = {
        report,
        digest: view().reports.get(report)?.digest ?? '',
        parameters: {},
        output: { format: 'csv', compression: null },
        identity,
      };
      await queue.enqueue({ kind: REPORT, data, submitter: identity.name });
      const [job] = await claim();
      if (job === undefined) throw new Error('No job is due.');
      return job;
    },
    succeed: (job: ClaimedJob, parameters: ResolvedParameters = { day: '2026-01-30' }, rows = 5) =>
      store.settle({ settlements: [settlementOf(job, parameters, rows)] }),
    succeedTogether: (jobs: readonly ClaimedJob[]) =>
      store.settle({ settlements: jobs.map((job) => settlementOf(job, { day: '2026-01-30' }, 5)) }),
    fail: (job: ClaimedJob) =>
      store.settle({
        settlements: [
          {
            job,
            outcome: {
              move: 'fail',
              error: { code: 'x', message: 'x', retryable: false },
              stack: null,
            },
            children: [],
          },
        ],
      }),
  };
}

const dataOf = (job: ClaimedJob | undefined) =>
  reportJobSchema.parse(JSON.parse(job?.payload ?? ''));

let folder: TestFolder;
async function catalogueOf(after: string): Promise<() => CatalogueView> {
  folder = testFolder({
    'services.yaml': SERVICES_FILE,
    'timesheets.yaml': simpleReport(),
    'payments.yaml': simpleReport(),
    'summary.yaml': simpleReport(`after: ${after}\n`),
  });
  await folder.load();
  expect(folder.problems()).toEqual([]);
  return () => folder.catalogue.now();
}

describe('after one report', () => {
  test('the child is made at once, with the parameters of its parent and the identity of the rule', async () => {
    const view = await catalogueOf(
      '{ report: timesheets, as: bay, parameters: { day: timesheets.day } }',
    );
    const { begin, succeed, claim } = world(view);
    const parent = await begin('timesheets');
    await succeed(parent);
    const [child, ...others] = await claim();
    expect(others).toEqual([]);
    expect(child).toMatchObject({ submitter: 'service:bay', parents: { report: parent.id } });
    expect(dataOf(child)).toEqual({
      report: 'summary',
      digest: view().reports.get('summary')?.digest,
      parameters: { day: '2026-01-30' },
      output: { format: 'csv', compression: null },
      identity: {
        name: 'service:bay',
        subject: null,
        service: 'bay',
        roles: [],
        claims: { county: ['1', '38'] },
      },
    });
  });

  test('as its parent it is for whom the parent was for, and theirs', async () => {
    const view = await catalogueOf(
      '{ report: timesheets, as: parent, parameters: { day: timesheets.day } }',
    );
    const { begin, succeed, claim } = world(view);
    await succeed(await begin('timesheets', eve));
    const [child] = await claim();
    expect(child?.submitter).toBe('eve');
    expect(dataOf(child).identity).toEqual(eve);
  });

  test('nothing follows from one that failed, until it is retried and succeeds', async () => {
    const view = await catalogueOf(
      '{ report: timesheets, as: nightly, parameters: { day: timesheets.day } }',
    );
    const { begin, succeed, fail, claim, store } = world(view);
    const parent = await begin('timesheets');
    await fail(parent);
    expect(await claim()).toEqual([]);
    await store.retry({ select: { ids: [parent.id] } });
    const [again] = await claim();
    expect(again?.id).toBe(parent.id);
    if (again !== undefined) await succeed(again);
    expect(await claim()).toHaveLength(1);
  });

  test.each<
    [string, { rows?: number; parameters?: ResolvedParameters; identity?: ReportIdentity }, boolean]
  >([
    ['rows: { above: 0 }', { rows: 0 }, false],
    ['rows: { above: 0 }', { rows: 1 }, true],
    ['rows: { below: 10 }', { rows: 10 }, false],
    ['as: nightly', {}, false],
    ['as: nightly', { identity: { ...ada, service: 'nightly' } }, true],
    ['parameters: { day: 2026-01-30 }', {}, true],
    ['parameters: { day: [2026-01-29, 2026-01-31] }', {}, false],
    ['parameters: { day: null }', {}, false],
    ['parameters: { day: null }', { parameters: { day: null } }, true],
    [
      'parameters: { day: [2026-01-29, null] }',
      { parameters: { day: ['2026-01-28', '2026-01-29'] } },
      true,
    ],
  ])(
    'when { %s } and %j: %s',
    async (when, { rows = 5, parameters = { day: '2026-01-30' }, identity = ada }, follows) => {
      const view = await catalogueOf(
        `{ report: timesheets, as: nightly, when: { ${when} }, parameters: { day: today } }`,
      );
      const { begin, succeed, claim } = world(view);
      await succeed(await begin('timesheets', identity), parameters, rows);
      expect(await claim()).toHaveLength(follows ? 1 : 0);
    },
  );
});

describe('after all of several', () => {
  const all = (as: string) =>
    `{ all: [timesheets, payments], match: day, within: 3d, as: ${as}, parameters: { day: payments.day } }`;
  let view: () => CatalogueView;
  beforeEach(async () => {
    view = await catalogueOf(all('nightly'));
  });

  test('one child comes when both are there, in either order, and knows both', async () => {
    for (const [first, second] of [
      ['timesheets', 'payments'],
      ['payments', 'timesheets'],
    ] as const) {
      const { begin, succeed, claim } = world(view);
      const [a, b] = [await begin(first), await begin(second)];
      await succeed(a);
      expect(await claim()).toEqual([]);
      await succeed(b);
      const [child, ...others] = await claim();
      expect(others).toEqual([]);
      expect(child?.parents).toEqual({ [first]: a.id, [second]: b.id });
      expect(dataOf(child)).toMatchObject({
        report: 'summary',
        from: { parameters: { day: { from: 'payments', parameter: 'day' } }, asParents: false },
        identity: { service: 'nightly' },
      });
    }
  });

  test('one child comes when both end in the same moment', async () => {
    const { begin, succeedTogether, claim } = world(view);
    await succeedTogether([await begin('timesheets'), await begin('payments')]);
    expect(await claim()).toHaveLength(1);
  });

  test('those of different days do not belong together, and one without a day takes no part', async () => {
    const { begin, succeed, claim } = world(view);
    await succeed(await begin('timesheets'), { day: '2026-01-29' });
    await succeed(await begin('payments'), { day: '2026-01-30' });
    await succeed(await begin('payments'), { day: null });
    expect(await claim()).toEqual([]);
    await succeed(await begin('payments'), { day: '2026-01-29' });
    expect(await claim()).toHaveLength(1);
  });

  test('what waited longer than `within` is over; what comes late begins to wait by itself', async () => {
    const { begin, succeed, claim, pass, store } = world(view);
    await succeed(await begin('timesheets'));
    pass(3 * 24 * HOUR + 1);
    expect(await store.followers.closeGates({ limit: 10 })).toHaveLength(1);
    await succeed(await begin('payments'));
    expect(await claim()).toEqual([]);
    await succeed(await begin('timesheets'));
    expect(await claim()).toHaveLength(1);
  });

  test('as their parents, those who see different rows never meet', async () => {
    view = await catalogueOf(all('parent'));
    const { begin, succeed, claim } = world(view);
    await succeed(await begin('timesheets', ada));
    await succeed(await begin('payments', eve));
    expect(await claim()).toEqual([]);
    await succeed(await begin('payments', { ...ada, name: 'ada of another office' }));
    const [child, ...others] = await claim();
    expect(others).toEqual([]);
    expect(dataOf(child).identity.claims).toEqual({ county: ['19'] });
    expect(dataOf(child).from?.asParents).toBe(true);
  });

  test('a rule that changes does not take up what arrived under the one before', async () => {
    const { begin, succeed, claim } = world(view);
    await succeed(await begin('timesheets'));
    folder.put('summary.yaml', simpleReport(`after: ${all('bay')}\n`));
    await folder.load();
    await succeed(await begin('payments'));
    expect(await claim()).toEqual([]);
  });

  test('generated: whatever the order of ends, each day with both parents gets one child, and no other does', async () => {
    const dice = createDice('gates');
    for (let round = 0; round < 30; round += 1) {
      const { begin, succeed, claim } = world(view);
      const days = Array.from(
        { length: dice.integer(1, 4) },
        (_, index) => `2026-01-0${index + 1}`,
      );
      const wanted = days.flatMap((day) => {
        const reports = dice.some(['timesheets', 'payments'], 0.8);
        return reports.map((report) => ({ day, report, at: dice.next() }));
      });
      const jobs = new Map<object, ClaimedJob>();
      for (const each of wanted) jobs.set(each, await begin(each.report));
      for (const each of wanted.toSorted((a, b) => a.at - b.at)) {
        const job = jobs.get(each);
        if (job !== undefined) await succeed(job, { day: each.day });
      }
      const whole = days.filter((day) => wanted.filter((each) => each.day === day).length === 2);
      expect(await claim()).toHaveLength(whole.length);
    }
  });
});

describe('the parameters of a child, from its parents', () => {
  const job = (identity: ReportIdentity, asParents: boolean) => ({
    identity,
    from: {
      parameters: {
        day: { from: 'payments', parameter: 'day' },
        county: { from: 'timesheets', parameter: 'county' },
        state: { value: 'open' },
      },
      asParents,
    },
  });
  const parent = (identity: ReportIdentity, parameters: ResolvedParameters) => ({
    data: {
      report: 'x',
      digest: '0'.repeat(64),
      parameters: {},
      output: { format: 'csv', compression: null },
      identity,
    },
    result: { rows: 1, parameters },
  });
  const parents = (of: ReportIdentity) =>
    new Map<string, ParentJob | null>([
      ['timesheets', parent(of, { day: '2026-01-29', county: null })],
      ['payments', parent(ada, { day: '2026-01-30' })],
    ]);

  test('are those that the rule names; what a parent ran without is left to the default', () => {
    expect(parametersFromParents(job(ada, true), parents(ada))).toEqual({
      given: { day: '2026-01-30', state: 'open' },
    });
  });
  test('are not found where a parent is gone, or was erased', () => {
    for (const gone of [null, { data: null, result: null }])
      expect(
        parametersFromParents(job(ada, true), new Map([...parents(ada), ['payments', gone]])),
      ).toMatchObject({ problem: { code: 'parent_gone' } });
    expect(parametersFromParents(job(ada, true), new Map())).toMatchObject({
      problem: { code: 'parent_gone' },
    });
  });
  test('are refused to a child that runs as parents who see different rows', () => {
    expect(parametersFromParents(job(ada, true), parents(eve))).toMatchObject({
      problem: { code: 'parents_differ' },
    });
    const service = { ...ada, service: 'nightly', claims: {} };
    expect(parametersFromParents(job(service, false), parents(eve))).toHaveProperty('given');
  });
});

test('a job whose data or result is none of ours is an error that someone sees, and others are left alone', async () => {
  const view = await catalogueOf(
    '{ report: timesheets, as: nightly, parameters: { day: timesheets.day } }',
  );
  const ended = {
    id: 'mem-1',
    kind: REPORT,
    tenant: '',
    state: 'SUCCEEDED' as const,
    correlationId: 'c',
    submitter: null,
    data: null,
    result: null,
  };
  expect(followersOf(view(), ended)).toEqual([]);
  expect(followersOf(view(), { ...ended, kind: 'other', data: {} })).toEqual([]);
  expect(() => followersOf(view(), { ...ended, data: {} })).toThrow();
});

test('claims are kept for reports that follow with the identity of their parent, however far', async () => {
  const rows = (claim: string) => simpleReport().replace('claim: county', `claim: ${claim}`);
  const files = testFolder({
    'services.yaml': SERVICES_FILE,
    'a.yaml': rows('a'),
    'b.yaml': `${rows('b')}after: { report: a, as: parent, parameters: { day: today } }\n`,
    'c.yaml': `${rows('c')}after: { report: b, as: parent, parameters: { day: today } }\n`,
    'd.yaml': `${rows('d')}after: { report: a, as: nightly, parameters: { day: today } }\n`,
  });
  const view = await files.load();
  expect(files.problems()).toEqual([]);
  expect(claimsNeeded(view, 'a')).toEqual(new Set(['a', 'b', 'c']));
  expect(claimsNeeded(view, 'c')).toEqual(new Set(['c']));
  expect(claimsNeeded(view, 'd')).toEqual(new Set(['d']));
});

test('schedules are taken by the engine, with the claims of their service', async () => {
  const files = testFolder({
    'services.yaml': 'bay: { claims: { county: [1, 38], salary: high }, tenant: acme }\n',
    'it.yaml': simpleReport(`timeZone: Europe/Berlin
schedule:
  - { cron: 30 6 * * 1-5, as: bay, parameters: { day: yesterday }, missed: all }
  - { cron: 0 7 1 * *, as: bay, timeZone: America/Los_Angeles, parameters: { day: 2026-01-01 } }
`),
  });
  const schedules = schedulesOf(await files.load());
  expect(files.problems()).toEqual([]);
  expect(schedules.map(({ name }) => name)).toEqual(['report:it', 'report:it:2']);
  const kind = defineJob({ kind: REPORT, input: reportJobSchema, run: async () => done(null) });
  for (const schedule of schedules) checkSchedule(createRegistry([kind]), schedule);
  expect(schedules[0]).toMatchObject({
    missed: 'all',
    overlap: 'skip',
    job: {
      kind: REPORT,
      tenant: 'acme',
      submitter: 'service:bay',
      data: {
        parameters: { day: 'yesterday' },
        identity: { service: 'bay', claims: { county: ['1', '38'] } },
      },
    },
  });
  expect(schedules.map(({ job }) => (job.data as ReportJob).timeZone)).toEqual([
    undefined,
    'America/Los_Angeles',
  ]);
  expect(JSON.stringify(schedules)).not.toContain('salary');
  const [first] = schedules;
  expect(nextTick(first?.cron ?? '', first?.timeZone ?? '', DAY)).toBe(Date.UTC(2026, 1, 2, 5, 30));
  expect(first?.dataAt?.(DAY)).toEqual({ ...(first?.job.data as object), at: DAY });
});

describe('a cover sheet', () => {
  test('is a document about the report, which the documents can read', async () => {
    folder = testFolder({
      'timesheets.yaml': simpleReport('cover: { template: sheet, when: rows }\n'),
    });
    await folder.load();
    expect(folder.problems()).toEqual([]);
    const data: ReportJob = {
      report: 'timesheets',
      digest: '0'.repeat(64),
      parameters: {},
      output: { format: 'csv', compression: null },
      identity: ada,
    };
    const ended = (rows: number) => ({
      id: 'mem-1',
      kind: REPORT,
      tenant: '',
      state: 'SUCCEEDED' as const,
      correlationId: 'c',
      submitter: 'ada',
      data,
      result: { rows, parameters: { day: '2026-01-30' }, fileName: 'timesheets.csv', bytes: 7 },
    });
    const [cover, ...others] = followersOf(folder.catalogue.now(), ended(5));
    expect(others).toEqual([]);
    expect(cover?.child).toBe('document');
    expect(envelopeSchema.parse(cover?.data)).toMatchObject({
      templateId: 'sheet',
      outputFileName: 'timesheets.csv - cover',
      data: {
        title: 'Simple',
        rows: 5,
        submitter: 'ada',
        parameters: { day: '2026-01-30' },
        settings: [{ value: '2026-01-30' }],
      },
    });
    expect(followersOf(folder.catalogue.now(), ended(0))).toEqual([]);
  });
});
