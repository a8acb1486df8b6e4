import { jobState } from '@millrace/api';
import { FORMATS, runStatus } from '@millrace/queries/contract';
import { COMPRESSIONS } from '@millrace/reports/contract';
import type { Context } from '../context.ts';

type Ask = (context: Context) => Promise<readonly string[]> | readonly string[];

/** By the word that stands for it in usages and options, whatever the command. */
const VALUES: Readonly<Record<string, Ask>> = {
  STATE: () => jobState.options,
  STATUS: () => runStatus.options,
  FORMAT: () => FORMATS,
  COMPRESSION: () => [...COMPRESSIONS, 'none'],
  KIND: async ({ client }) => (await client.listKinds()).kinds.map(({ name }) => name),
  SCHEDULE: async ({ client }) => (await client.listSchedules()).schedules.map(({ name }) => name),
  TEMPLATE: templateNames,
  SNIPPET: async ({ client }) =>
    (await client.listSnippets({ query: { limit: 100 } })).snippets.map(({ name }) => name),
  TABLE: async ({ client }) => {
    const { dataExtensions, dataViews } = await client.getCatalog({ query: {} });
    return [...dataExtensions, ...dataViews].map(({ name }) => name);
  },
  RUN: async ({ client }) => (await client.listRuns(NEWEST)).runs.map(({ id }) => id),
  REPORT: async ({ client }) => (await client.listReports()).reports.map(({ name }) => name),
  PIPELINE: async ({ client }) => (await client.listPipelines()).pipelines.map(({ name }) => name),
};

/** Words that stand for something else in each command. What `ID` is, nobody could guess: where it is not here, nothing is offered. */
const OWN: Readonly<Record<string, Readonly<Record<string, Ask>>>> = {
  // Others would be refused.
  enqueue: {
    KIND: async ({ client }) =>
      (await client.listKinds({ query: { public: 'true' } })).kinds.map(({ name }) => name),
  },
  job: { ID: jobIds },
  explain: { ID: jobIds },
  watch: { ID: jobIds },
  retry: { ID: jobIds },
  cancel: { ID: jobIds },
  templates: { NAME: templateNames },
  batch: {
    ID: async ({ client }) => (await client.listBatches(NEWEST)).batches.map(({ id }) => id),
  },
  report: {
    ID: async ({ client }) => (await client.listReportRuns(NEWEST)).runs.map(({ id }) => id),
  },
  pipeline: {
    ID: async ({ client }) => (await client.listPipelineRuns(NEWEST)).runs.map(({ id }) => id),
  },
};

const NEWEST = { query: { limit: 20 } };

async function jobIds({ client }: Context): Promise<string[]> {
  return (await client.listJobs(NEWEST)).jobs.map(({ id }) => id);
}

async function templateNames({ client }: Context): Promise<string[]> {
  const { templates } = await client.listTemplates({ query: { limit: 100 } });
  return templates.map(({ name }) => name);
}

/** Candidates for the value of an option such as `--kind KIND`. */
export function optionValues(
  context: Context,
  value: string,
  command: string | undefined,
): Promise<readonly string[]> {
  // `--correlation ID` and the like take ids that no list has.
  if (value === 'ID') return Promise.resolve([]);
  return wordValues(context, value, command);
}

/** Candidates for `KIND`, `ID...` or `NAME` in a usage, fetched from the server if needed. */
export async function wordValues(
  context: Context,
  word: string,
  command: string | undefined,
): Promise<readonly string[]> {
  const name = word.replace(/\.\.\.$/, '');
  const ask = OWN[command ?? '']?.[name] ?? VALUES[name];
  if (ask !== undefined) return (await askedQuickly(async () => ask(context))) ?? [];
  return name.includes('|') ? name.split('|') : [];
}

/** Whoever presses Tab waits for nothing: a server that takes longer, or refuses, has no say. */
const QUICK_MS = 1_000;

/** Null: it refused, or took too long. */
export async function askedQuickly<T>(ask: () => Promise<T> | null): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), QUICK_MS);
  });
  try {
    return await Promise.race([ask()?.catch(() => null) ?? null, late]);
  } finally {
    clearTimeout(timer);
  }
}
