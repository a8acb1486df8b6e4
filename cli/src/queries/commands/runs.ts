import { type Run, runStatus } from '@millrace/queries/contract';
import type { Context } from '../../context.ts';
import { defineCommand } from '../../line/command.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { type Values, choice, flag, past, text } from '../../line/option.ts';
import { onlyFor, verbOf } from '../../line/verb.ts';
import { listRuns } from '../../runs/list.ts';
import { midOption } from '../mid.ts';
import { runColumns, runDetail, runSummary } from '../render/run.ts';
import { RESULT_OPTIONS, destinationOf, giveResults } from '../results.ts';
import { watchQuery } from '../watch-query.ts';
import { reportEnd } from './query.ts';

const options = {
  status: {
    ...choice(runStatus.options, 'list: queued, running, ready, failed, …'),
    value: 'STATUS',
  },
  mid: midOption('list: only runs of this business unit.'),
  snippet: text('SNIPPET', 'list: only runs started with it.'),
  since: past('list: only runs started since then.'),
  all: flag('list: no maximum.'),
  ...RESULT_OPTIONS,
};
type Given = Values<typeof options>;
type Verb = 'show' | 'watch' | 'cancel' | 'results';

export const runs = defineCommand({
  name: 'runs',
  summary: 'Lists runs of queries, shows one, fetches its rows.',
  usage: [
    '[--status STATUS] [--since TIME] [--limit N | --all]',
    'show RUN',
    'watch RUN',
    'cancel RUN',
    'results RUN [-o OUT.csv] [--limit N]',
  ],
  words: { least: 0, most: 2 },
  options,
  examples: [
    'millrace runs --status failed --since 1d',
    'millrace runs show run-7',
    'millrace runs results run-7 -o opens.parquet',
  ],
  async run(context, { words, options: given }) {
    if (words.length === 0) return list(context, given);
    const { verb, object: id } = verbOf<Verb>('runs', words, VERBS);
    onlyFor(`runs ${verb}`, given, ALLOWED[verb]);
    if (verb === 'show') return show(context, id);
    if (verb === 'cancel') return cancel(context, id);
    return verb === 'watch' ? watch(context, id) : results(context, id, given);
  },
});

const VERBS = { show: 'RUN', watch: 'RUN', cancel: 'RUN', results: 'RUN' };

const ALLOWED: Readonly<Record<Verb, readonly (keyof Given)[]>> = {
  show: [],
  watch: [],
  cancel: [],
  results: ['output', 'force', 'format', 'limit'],
};
const OF_LIST: readonly (keyof Given)[] = ['status', 'mid', 'snippet', 'since', 'all', 'limit'];

function list(context: Context, given: Given): Promise<ExitCode> {
  onlyFor('runs', given, OF_LIST);
  const { limit, all, since, status, mid, snippet } = given;
  const { client, world } = context;
  const filter = { status, mid, snippet, createdAfter: since?.(world.now()) };
  return listRuns<Run>(
    context,
    { limit, all },
    {
      page: (query) => client.listRuns({ query: { ...filter, ...query } }),
      columns: runColumns,
      none: 'No runs. "millrace query SQL" starts one.',
    },
  );
}

function exitCodeFor({ status }: Run): ExitCode {
  return status === 'failed' || status === 'canceled' ? EXIT.failed : EXIT.ok;
}

async function show(context: Context, id: string): Promise<ExitCode> {
  const { client, out, json, quiet, document, world } = context;
  const run = await client.getRun({ params: { id } });
  if (json) document(run);
  else if (quiet) out.line(run.status);
  else for (const line of runDetail(run, world.now(), out)) out.line(line);
  return exitCodeFor(run);
}

/** Ctrl-C stops watching, not the run. */
async function watch(context: Context, id: string): Promise<ExitCode> {
  const { client, out, json, quiet, document, note, world } = context;
  const ended = await watchQuery(context, await client.getRun({ params: { id } }));
  if (ended.status !== 'ready') return reportEnd(context, ended);
  if (json) document(ended);
  else if (quiet) out.line(ended.status);
  else {
    note(runSummary(ended, world.now()));
    note(`Its rows: millrace runs results ${id}`);
  }
  return EXIT.ok;
}

async function cancel(context: Context, id: string): Promise<ExitCode> {
  const { client, out, json, quiet, document } = context;
  const run = await client.cancelRun({ params: { id } });
  if (json) document(run);
  else if (!quiet) out.line(`${id} is cancelled.`);
  return EXIT.ok;
}

async function results(context: Context, id: string, given: Given): Promise<ExitCode> {
  const destination = await destinationOf(context, given);
  const run = await context.client.getRun({ params: { id } });
  await giveResults(context, run, destination, given);
  return EXIT.ok;
}
