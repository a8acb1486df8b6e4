import { jobState } from '@millrace/api';
import { pipelineRunState } from '@millrace/pipelines/contract';
import { FORMATS, runStatus } from '@millrace/queries/contract';
import { COMPRESSIONS } from '@millrace/reports/contract';
import { GLOBAL_OPTIONS } from './arguments.ts';
import type { Command, FreeOptions } from './command.ts';
import type { Context } from '../context.ts';
import type { Options } from './option.ts';

/** What could stand in place of the last word: a beginning that the shell has yet to match, or an empty one. */
export async function completionsOf(
  commands: readonly Command[],
  context: Context,
  words: readonly string[],
): Promise<string[]> {
  const last = words.at(-1) ?? '';
  const candidates = await candidatesFor(commands, context, words.slice(0, -1), last);
  return candidates.filter((candidate) => candidate.startsWith(last));
}

async function candidatesFor(
  commands: readonly Command[],
  context: Context,
  before: readonly string[],
  last: string,
): Promise<readonly string[]> {
  const [name] = before.filter((word) => !word.startsWith('-'));
  const command = commands.find((each) => each.name === name);
  const options: Options = { ...GLOBAL_OPTIONS, ...command?.options };
  const previous = before.at(-1) ?? '';
  const option = previous.startsWith('--') ? options[previous.slice(2)] : undefined;
  if (option !== undefined && option.value !== null)
    return valuesOf(context, option.value, command);
  const free = await freeOf(command, context, before);
  if (previous.startsWith('--') && Object.hasOwn(free, previous.slice(2)))
    return free[previous.slice(2)] ?? [];
  if (last.startsWith('-'))
    return [...Object.keys(free), ...Object.keys(options)].map((each) => `--${each}`);
  if (command === undefined) return name === undefined ? commands.map((each) => each.name) : [];
  if (command.name === 'help') return commands.map((each) => each.name);
  const position = before.slice(before.indexOf(command.name) + 1).filter((w) => !w.startsWith('-'));
  return wordsOf(command, context, position);
}

async function freeOf(
  command: Command | undefined,
  context: Context,
  before: readonly string[],
): Promise<FreeOptions> {
  if (command?.freeOptions === undefined) return {};
  const words = before.slice(before.indexOf(command.name) + 1);
  return (await askedQuickly(() => command.freeOptions?.(context, words) ?? null)) ?? {};
}

/** What follows the command's name, by its usage: `KIND`, or verbs such as `add FILE` and `stop`. */
async function wordsOf(
  command: Command,
  context: Context,
  given: readonly string[],
): Promise<readonly string[]> {
  const ways = command.usage.map((way) =>
    way.split(' ').filter((word) => /^[A-Za-z][A-Za-z|.]*$/.test(word)),
  );
  const fitting = ways.filter((way) =>
    given.every((word, index) => isName(wordAt(way, index)) || wordAt(way, index) === word),
  );
  const next = new Set(fitting.flatMap((way) => wordAt(way, given.length)?.split('|') ?? []));
  const found = await Promise.all(
    [...next].map((word) =>
      isName(word) ? valuesOf(context, word, command) : Promise.resolve([word]),
    ),
  );
  return found.flat();
}

/** After `ID...` comes another one. */
function wordAt(way: readonly string[], index: number): string | undefined {
  const last = way.at(-1);
  return way[index] ?? (last?.endsWith('...') === true ? last : undefined);
}

/** `KIND`, `ID...`: a name for what stands there. */
function isName(word: string | undefined): boolean {
  return word !== undefined && /^[A-Z.|]+$/.test(word);
}

/** The words that an option's or a word's value may be; asked of the server where only it knows. */
async function valuesOf(
  context: Context,
  value: string,
  command: Command | undefined,
): Promise<readonly string[]> {
  switch (value) {
    case 'REPORT':
      return namesOf(async () =>
        (await context.client.listReports()).reports.map(({ name }) => name),
      );
    case 'PIPELINE':
      return namesOf(async () =>
        (await context.client.listPipelines()).pipelines.map(({ name }) => name),
      );
    case 'RUNSTATE':
      return pipelineRunState.options;
    case 'COMPRESSION':
      return [...COMPRESSIONS, 'none'];
    case 'STATE':
      return jobState.options;
    case 'KIND':
      return namesOf(async () => (await context.client.listKinds()).kinds.map(({ name }) => name));
    case 'SCHEDULE':
      return namesOf(async () =>
        (await context.client.listSchedules()).schedules.map(({ name }) => name),
      );
    case 'TEMPLATE':
      return namesOf(async () =>
        (await context.client.listTemplates({ query: { limit: 100 } })).templates.map(
          ({ name }) => name,
        ),
      );
    case 'STATUS':
      return runStatus.options;
    case 'FORMAT':
      return FORMATS;
    case 'SNIPPET':
      return namesOf(async () =>
        (await context.client.listSnippets({ query: { limit: 100 } })).snippets.map(
          ({ name }) => name,
        ),
      );
    case 'TABLE':
      return namesOf(async () => {
        const { dataExtensions, dataViews } = await context.client.getCatalog({ query: {} });
        return [...dataExtensions, ...dataViews].map(({ name }) => name);
      });
    case 'RUN':
      return namesOf(async () =>
        (await context.client.listRuns({ query: { limit: 20 } })).runs.map(({ id }) => id),
      );
    case 'ID':
    case 'ID...':
      if (command?.name === 'report')
        return namesOf(async () =>
          (await context.client.listReportRuns({ query: { limit: 20 } })).runs.map(({ id }) => id),
        );
      if (command?.name === 'pipeline')
        return namesOf(async () =>
          (await context.client.listPipelineRuns({ query: { limit: 20 } })).runs.map(
            ({ id }) => id,
          ),
        );
      return namesOf(async () =>
        (await context.client.listJobs({ query: { limit: 20 } })).jobs.map(({ id }) => id),
      );
    default:
      return value.includes('|') ? value.split('|') : [];
  }
}

/** Whoever presses Tab waits for nothing: a server that takes longer, or refuses, has no say. */
const QUICK_MS = 1_000;

async function namesOf(ask: () => Promise<string[]>): Promise<readonly string[]> {
  return (await askedQuickly(ask)) ?? [];
}

/** Null: it refused, or took too long. */
async function askedQuickly<T>(ask: () => Promise<T> | null): Promise<T | null> {
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
