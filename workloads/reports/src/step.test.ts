import { checkSchema } from '@millrace/workload-kit';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../test/catalogue.ts';
import type { Outputs } from './outputs/types.ts';
import type { Runs } from './runs/runs.ts';
import { reportStep } from './step.ts';

const REPORT = `title: It
parameters:
  least: { type: whole number, default: 0 }
  rate: { type: decimal, required: false }
  all: { type: boolean, default: false }
  county: { type: whole number, list: true, required: false }
  day: { type: date, required: false }
sql: SELECT id FROM things WHERE id > :least AND (:all OR rate < :rate) AND county = ANY (:county) AND day = :day
key: id
public: true
`;

/** What a step of a pipeline submits with these parameters. */
async function submittedWith(parameters: Readonly<Record<string, unknown>>, report = 'it') {
  const folder = testFolder({ 'it.yaml': REPORT });
  const view = await folder.load();
  const submitted: Parameters<Runs['submit']>[0][] = [];
  const runs: Pick<Runs, 'submit'> = {
    async submit(asked) {
      submitted.push(asked);
      return { id: 'pg-1' } as Awaited<ReturnType<Runs['submit']>>;
    },
  };
  const step = reportStep({
    runs: runs as Runs,
    catalogue: () => view,
    outputs: {} as Outputs,
    now: () => Date.UTC(2026, 0, 31),
  });
  const input = { report, parameters };
  const checked = checkSchema(step.input, input);
  if ('complaints' in checked) return { complaints: checked.complaints };
  const who = { tenant: '', submitter: 'ada', correlationId: 'c', roles: [], claims: {} };
  await step.start({ input, who, key: 'k', signal: new AbortController().signal });
  return submitted[0]?.job.parameters;
}

describe('a report of the catalogue as a step', () => {
  test('takes values as files and earlier steps give them: numbers, true or false, lists', async () => {
    const given = { least: 3, rate: 1.5, all: true, county: [1, '38'], day: 'yesterday' };
    expect(await submittedWith(given)).toEqual({
      least: '3',
      rate: '1.5',
      all: 'true',
      county: ['1', '38'],
      day: 'yesterday',
    });
    expect(await submittedWith({ least: '7', county: 19, rate: null })).toEqual({
      least: '7',
      county: ['19'],
      rate: null,
    });
  });

  test('refuses what is none of these where the file is read', async () => {
    expect(await submittedWith({ day: { date: 'x' } })).toEqual({
      complaints: [
        {
          path: ['parameters', 'day'],
          message: 'write a text, a number, true or false, or a list of them.',
        },
      ],
    });
  });

  test('fails once and for all with parameters that the report does not take', async () => {
    const refused = (message: string) => ({
      code: 'invalid_parameters',
      retryable: false,
      message: expect.stringContaining(message) as string,
    });
    await expect(submittedWith({ laest: 3 })).rejects.toMatchObject(refused('laest'));
    await expect(submittedWith({ least: [1, 2] })).rejects.toMatchObject(refused('least'));
    await expect(submittedWith({ least: 1.5 })).rejects.toMatchObject(refused('least'));
    await expect(submittedWith({ least: 3 }, 'its')).rejects.toMatchObject({
      code: 'report_not_found',
    });
  });
});

describe('a run of a report that failed', () => {
  const AT = Date.UTC(2026, 0, 31);
  const WHO = { tenant: '', submitter: 'ada', correlationId: 'c', roles: [], claims: {} };

  /** Whether a run that was made with `least: 3` is retried for a step that asks for this. */
  async function isRetried(input: object, changed: Readonly<Record<string, string>> = {}) {
    const made = await testFolder({ 'it.yaml': REPORT }).load();
    const view = await testFolder({ 'it.yaml': REPORT, ...changed }).load();
    const run = {
      id: 'pg-1',
      state: 'FAILED',
      tenant: '',
      report: 'it',
      digest: made.reports.get('it')?.digest,
      format: 'csv',
      compression: null,
      // As an execution writes them down.
      parameters: { least: '3', rate: null, all: 'false', county: null, day: '2026-01-30' },
      createdAt: AT,
    };
    let retried = 0;
    const runs = {
      find: async () => run,
      retry: async () => void (retried += 1),
    } as unknown as Runs;
    const step = reportStep({
      runs,
      catalogue: () => view,
      outputs: {} as Outputs,
      now: () => AT + 9 * 86_400_000,
    });
    const answer = await step.retry?.('pg-1', WHO, input);
    expect(retried).toBe(answer === true ? 1 : 0);
    return answer;
  }
  const SAME = { report: 'it', parameters: { day: 'yesterday', least: 3 } };

  test('is retried where it is still what the step asks for, words as on its own day', async () => {
    expect(await isRetried(SAME)).toBe(true);
    expect(await isRetried({ ...SAME, format: 'csv', compression: 'none' })).toBe(true);
  });

  test.each<[string, object, Record<string, string>]>([
    ['the SQL of the report', SAME, { 'it.yaml': REPORT.replace('id >', 'id >=') }],
    ['a parameter', { ...SAME, parameters: { ...SAME.parameters, least: 4 } }, {}],
    ['the format', { ...SAME, format: 'jsonl' }, {}],
    ['the report', { report: 'other' }, { 'other.yaml': REPORT }],
    ['a parameter, wrongly', { ...SAME, parameters: { laest: 1 } }, {}],
  ])('is not where somebody corrected %s: it would fail as before', async (_, input, changed) => {
    expect(await isRetried(input, changed)).toBe(false);
  });

  test('whose report is no longer there can only be retried', async () => {
    expect(await isRetried(SAME, { 'it.yaml': '' })).toBe(true);
    expect(await isRetried({ report: 'gone' })).toBe(false);
  });
});
