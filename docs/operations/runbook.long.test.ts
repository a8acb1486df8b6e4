import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../lab/chaos/test/factory.ts';
import { type Section, sectionsOf } from '../test/markdown.ts';
import { type Matcher, type Selector, readPromql } from '../test/promql.ts';
import { type Ran, type Service, startService } from '../test/service.ts';

// Every command of the runbook, in its order, against the built server as it runs in production: on Postgres and
// Redis, with tokens of an issuer, for a Salesforce org (a simulated one, which `sf` reads) and a simulated Marketing Cloud. There
// is a job in each state that the runbook talks about.

const folder = import.meta.dirname;
const sections = sectionsOf(readFileSync(join(folder, 'runbook.md'), 'utf8'));
const alerts = readFileSync(join(folder, 'alerts.yml'), 'utf8');

const KIND = 'letter';
const CODE = 'upstream_away';
/** Sections about the org have its kind, and a record that suits them. */
const OF_ORG = 'document.salesforce';
const STUCK = 'A report is stuck';

describe.sequential('its commands', () => {
  let service: Service;
  /** By the section that asks for one. */
  let jobs: Readonly<Record<string, string>>;
  let records: Readonly<Record<string, { readonly id: string; readonly code: string }>>;
  let failed: string;
  /** The rows of one never came, and one stays where it is. */
  let runs: { readonly lost: string; readonly stuck: string };
  /** By the section that asks for one. */
  let reports: Record<string, string>;

  beforeAll(async () => {
    service = await startService();
    await enqueue('well', 'succeeded');
    const running = await enqueue('never', 'running');
    const retrying = await enqueue('later', 'retry_wait');
    failed = await enqueue('badly', 'failed');
    const waiting = await enqueue('well', 'scheduled', '--delay 1h');
    jobs = {
      'Jobs stay in PROCESSING': running,
      'Many retries': retrying,
      'The queue grows': waiting,
    };
    records = await addRecords();
    runs = await startRuns();
    reports = { 'Reports fail': await startReport('missing', 'FAILED') };
  }, 120_000);

  afterAll(() => service.close());

  /** A job, once `millrace explain` gives this reason for where it is. */
  async function enqueue(end: string, reason: string, options = ''): Promise<string> {
    const made = await service.shell(`millrace enqueue ${KIND} '{"end":"${end}"}' -q ${options}`);
    expect(made.stderr).toBe('');
    const id = made.stdout.trim();
    await until(
      async () => (await service.shell(`millrace explain ${id} -q`)).stdout.trim() === reason,
    );
    return id;
  }

  async function startRuns(): Promise<typeof runs> {
    const { faults } = service.cloud;
    faults.add({ kind: 'no-rowset' });
    const lost = await startRun('failed');
    faults.clear();
    faults.add({ kind: 'stuck-queued' });
    return { lost, stuck: await startRun('running') };
  }

  async function startRun(status: string): Promise<string> {
    const made = await service.shell(`millrace query 'SELECT 1 AS One' --no-wait`);
    expect(made.stderr).toBe('');
    const id = made.stdout.trim();
    const look = `millrace runs show ${id} -q || true`;
    await until(async () => (await service.shell(look)).stdout.trim() === status);
    return id;
  }

  async function startReport(name: string, state: string): Promise<string> {
    const made = await service.shell(`millrace report run ${name} --no-wait`);
    expect(made.stderr).toBe('');
    const id = made.stdout.trim();
    const look = `millrace report show ${id} -q || true`;
    await until(async () => (await service.shell(look)).stdout.trim() === state);
    return id;
  }

  /** One that waits for a retry, one that failed, and one that nobody will ever take over. */
  async function addRecords(): Promise<typeof records> {
    const { org } = service.org;
    const Template__c = await org.insert('Docgen_Template__c', { Name: 'Letter' });
    const add = async (code: string, fields: object) => ({
      code,
      id: await org.insert('Generated_Document__c', { Template__c, ErrorCode__c: code, ...fields }),
    });
    const later = new Date(service.org.now() + 3_600_000);
    const retried = await add('conversion_timeout', {
      Status__c: 'QUEUED',
      Attempts__c: 1,
      ScheduledRetryTime__c: later,
    });
    const stuck = await add('', { Status__c: 'PROCESSING', ScheduledRetryTime__c: later });
    const gone = await add('template_not_found', { Status__c: 'FAILED', Attempts__c: 1 });
    return {
      'High API usage': gone,
      'Documents of an org stay in PROCESSING': stuck,
      'An org is not reached': gone,
      'The queue of an org grows': retried,
      'Documents of an org are retried': retried,
      'Documents of an org fail': gone,
    };
  }

  /** As it stands there, on the server of this test instead of the example's. */
  function run(script: string, { title }: Section): Promise<Ran> {
    const here = script.replaceAll('https://millrace.example.com', service.url);
    const record = records[title];
    const RUN = reports[title] ?? (title === 'A rowset is never ready' ? runs.lost : runs.stuck);
    const about =
      record === undefined
        ? { KIND, CODE, RUN, JOB: jobs[title] ?? failed }
        : { KIND: OF_ORG, CODE: record.code, JOB: `salesforce-${record.id}`, RECORD: record.id };
    return service.shell(here, about);
  }

  it.each(sections)('of "$title" do what they say', { timeout: 60_000 }, async (section) => {
    // Not before: a run that waits for a lock gives up after two minutes, and a busy machine needs as long for the sections above.
    if (section.title === STUCK) reports[STUCK] = await startReport('locked', 'PROCESSING');
    for (const [index, { language, notes, text }] of section.blocks.entries()) {
      if (language !== 'sh') continue;
      const { code, stdout, stderr } = await run(text, section);
      const said = stdout + stderr;
      const server = code === 5 ? service.log().slice(-2_000) : '';
      expect(code, `${text}\n${said}\n${server}`).toBe(Number(notes['exit'] ?? 0));
      expect(said, text).not.toBe('');
      const next = section.blocks[index + 1];
      if (next?.language === '') expect(said).toContain(next.text);
    }
  });

  it('of the org have done what they say', async () => {
    const recordOf = (title: string) => service.org.org.record(records[title]?.id ?? '');
    const stuck = recordOf('Documents of an org stay in PROCESSING');
    expect(stuck).toMatchObject({ Status__c: 'CANCELED' });
    // It was tried again, and has no request.
    const failedAgain = () => recordOf('Documents of an org fail')?.['ErrorCode__c'];
    await until(async () => failedAgain() === 'validation_error');
  });

  it('and what the alerts ask for is what the service tells', { timeout: 60_000 }, async () => {
    service.cloud.faults.add({ kind: 'bad-client' });
    service.cloud.expireTokens();
    await service.shell(`millrace query 'SELECT 1 AS One' --no-wait`);
    await until(async () => (await told()).some((line) => isOf(NO_TOKEN, line)));
    await service.loseReports();
    await service.shell('millrace report run well --no-wait');
    await until(async () => (await told()).some((line) => isOf(LOST_SOURCE, line)));
    await service.loseOrg();
    await until(async () => (await told()).some((line) => isOf(LOST_ORG, line)));
    await service.loseRedis();
    await until(async () => (await told()).some((line) => isOf(LOST_REDIS, line)));
    await service.loseStore();
    const away = await service.shell('curl -s "$MILLRACE_URL/readyz"');
    expect(JSON.parse(away.stdout)).toMatchObject({ status: 'unavailable' });
    let lines: string[] = [];
    await until(async () => {
      lines = await told();
      return lines.some((line) => isOf(LOST_STORE, line));
    });
    const asked = [...alerts.matchAll(/\w+\{[^}]*\}/g)].flatMap(
      ([text]) => readPromql(text).selectors,
    );
    // The issuer has not failed here; the code that tells it is the store's.
    const expected = asked.filter((selector) => !matches(selector, 'dependency', 'identity'));
    expect(expected.length).toBeGreaterThan(5);
    expect(expected.filter((selector) => !lines.some((line) => isOf(selector, line)))).toEqual([]);
  });

  async function told(): Promise<string[]> {
    return (await service.shell(METRICS)).stdout.split('\n');
  }
});

const NO_TOKEN: Selector = {
  name: 'shell_query_call_failures_total',
  matchers: [{ label: 'code', operator: '=', value: 'invalid_client' }],
};
const LOST_SOURCE = failing('reports_source');
const LOST_ORG = failing('salesforce');
const LOST_REDIS = failing('redis');
const LOST_STORE = failing('store');

function failing(dependency: string): Selector {
  return {
    name: 'dependency_duration_seconds_count',
    matchers: [
      { label: 'dependency', operator: '=', value: dependency },
      { label: 'outcome', operator: '=', value: 'error' },
    ],
  };
}

const METRICS = 'curl -sf -H "authorization: Bearer $(millrace token)" "$MILLRACE_URL/metrics"';

function matches({ matchers }: Selector, name: string, wanted: string): boolean {
  return matchers.some(({ label, value }) => label === name && value === wanted);
}

function isOf({ name, matchers }: Selector, line: string): boolean {
  const labels = new Map(
    [...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]),
  );
  const has = ({ label, operator, value: wanted }: Matcher): boolean => {
    const value = labels.get(label) ?? '';
    const isLike = operator.endsWith('~')
      ? new RegExp(`^(?:${wanted})$`).test(value)
      : value === wanted;
    return isLike !== operator.startsWith('!');
  };
  return line.startsWith(`${name}{`) && matchers.every(has);
}
