import type { Context } from '../../context.ts';
import { type Free, defineCommand } from '../../line/command.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { type Values, choice, flag, past, state, text, wholeNumber } from '../../line/option.ts';
import { UsageError } from '../../line/usage-error.ts';
import { onlyFor, refuseFree, verbOf } from '../../line/verb.ts';
import { COMPRESSIONS, FORMATS, type ReportRun } from '@millrace/reports/contract';
import { completable } from '../../parameters/given.ts';
import { graphLines } from '../render/graph.ts';
import { runColumns, runDetail } from '../render/run.ts';
import { OUTPUT_OPTIONS, destinationOf } from '../save-file.ts';
import { listRuns } from '../../runs/list.ts';
import { giveFile, runReport, showReport } from '../run-report.ts';

const options = {
  ...OUTPUT_OPTIONS,
  format: {
    ...choice(FORMATS, 'run: csv, jsonl, xlsx, parquet; default: as -o.'),
    value: 'FORMAT',
  },
  compression: {
    ...choice([...COMPRESSIONS, 'none'], `Of run: ${COMPRESSIONS.join(', ')} or none.`),
    value: 'COMPRESSION',
  },
  key: text('KEY', 'run: runs with the same key start once.'),
  priority: wholeNumber('N', 'run: -1000 to 1000, higher first.'),
  'no-wait': flag('run, retry: only prints the id.'),
  report: text('REPORT', 'list: only runs of this report.'),
  state: state('list: QUEUED, PROCESSING, SUCCEEDED, …'),
  submitter: text('NAME', 'list: only runs started by this person.'),
  since: past('list: only runs created since then.'),
  limit: wholeNumber('N', 'list: maximum number of rows; default: 20.', 1),
  all: flag('list: no maximum.'),
};
export type ReportGiven = Values<typeof options>;
type Verb = 'run' | 'list' | 'show' | 'watch' | 'download' | 'cancel' | 'retry' | 'graph';

const OBJECTS: Readonly<Record<Verb, string | null>> = {
  run: 'REPORT',
  list: null,
  show: 'ID',
  watch: 'ID',
  download: 'ID',
  cancel: 'ID',
  retry: 'ID',
  graph: null,
};

const FILE = ['output', 'force'] as const;
const ALLOWED: Readonly<Record<Verb, readonly (keyof ReportGiven)[]>> = {
  run: [...FILE, 'format', 'compression', 'key', 'priority', 'no-wait'],
  list: ['report', 'state', 'submitter', 'since', 'limit', 'all'],
  show: [],
  watch: [],
  download: FILE,
  cancel: [],
  retry: [...FILE, 'no-wait'],
  graph: [],
};

export const report = defineCommand({
  name: 'report',
  summary: 'Runs a report and saves its file; lists, stops, resumes runs.',
  usage: [
    'run REPORT [--PARAMETER VALUE...] [-o OUT.csv]',
    'list [--report REPORT] [--state STATE] [--limit N|--all]',
    'show ID',
    'watch ID',
    'download ID [-o OUT.csv]',
    'cancel ID',
    'retry ID [-o OUT.csv] [--no-wait]',
    'graph',
  ],
  words: { least: 1, most: 2 },
  options,
  open: true,
  examples: [
    'millrace report run timesheet-detail --county 19 -o out.csv',
    'millrace report run payments --format xlsx --no-wait',
    'millrace report list --state failed --since 1d',
    'millrace report retry pg-42 -o out.csv',
  ],
  async freeOptions({ client }, [verb, name]) {
    if (verb !== 'run' || name === undefined || name.startsWith('-')) return {};
    const { parameters } = await client.getReport({ params: { name } });
    return completable(parameters);
  },
  async run(context, { words, options: given, free }) {
    const { verb, object } = verbOf<Verb>('report', words, OBJECTS);
    onlyFor(`report ${verb}`, given, ALLOWED[verb]);
    if (verb !== 'run') refuseFree(`report ${verb}`, free);
    return ACTIONS[verb](context, object, given, free);
  },
});

type Action = (
  context: Context,
  object: string,
  given: ReportGiven,
  free: Free,
) => Promise<ExitCode>;

const ACTIONS: Readonly<Record<Verb, Action>> = {
  run: (context, name, given, free) =>
    runReport(context, { name, given, free, options: Object.keys(options) }),
  list(context, _, { limit, all, since, report: name, state: inState, submitter }) {
    const { client, world } = context;
    const filter = { report: name, state: inState, submitter, createdAfter: since?.(world.now()) };
    return listRuns<ReportRun>(
      context,
      { limit, all },
      {
        page: (query) => client.listReportRuns({ query: { ...filter, ...query } }),
        columns: runColumns,
        none: 'No runs. "millrace report run REPORT" starts one.',
      },
    );
  },
  async show({ client, out, json, quiet, document, world }, id) {
    const run = await client.getReportRun({ params: { id } });
    if (json) document(run);
    else if (quiet) out.line(run.state);
    else for (const line of runDetail(run, world.now(), out)) out.line(line);
    return run.state === 'FAILED' || run.state === 'CANCELED' ? EXIT.failed : EXIT.ok;
  },
  async watch(context, id) {
    return showReport(context, await context.client.getReportRun({ params: { id } }));
  },
  async download(context, id, given) {
    const destination = await destinationOf(context, given);
    const run = await context.client.getReportRun({ params: { id } });
    return giveFile(context, run, destination);
  },
  async cancel({ client, out, json, quiet, document }, id) {
    const run = await client.cancelReportRun({ params: { id } });
    if (json) document(run);
    else if (!quiet)
      out.line(run.state === 'CANCELED' ? `${id} is cancelled.` : `${id} stops at its next chunk.`);
    return EXIT.ok;
  },
  async retry(context, id, given) {
    if (given['no-wait'] && given.output !== undefined)
      throw new UsageError('With --no-wait nothing is downloaded: leave out -o.');
    const destination = await destinationOf(context, given);
    const run = await context.client.retryReportRun({ params: { id } });
    return giveFile(context, run, given['no-wait'] ? null : destination);
  },
  async graph({ client, out, json, document, note }) {
    const graph = await client.getReportGraph();
    if (json) document(graph);
    else if (graph.nodes.length === 0) note('No reports.');
    else for (const line of graphLines(graph, out.paint)) out.line(line);
    return EXIT.ok;
  },
};
