import type { FileProblem, Report, ReportSample } from '@millrace/reports/contract';
import { MOST_SAMPLE_ROWS } from '@millrace/reports/contract';
import type { Context } from '../../context.ts';
import { defineCommand } from '../../line/command.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { type Values, flag, wholeNumber } from '../../line/option.ts';
import { UsageError } from '../../line/usage-error.ts';
import { onlyFor, verbOf } from '../../line/verb.ts';
import { problemLine } from '../../parameters/render.ts';
import { bar } from '../../render/bar.ts';
import { createLive } from '../../render/live.ts';
import { count, counted } from '../../render/number.ts';
import { table } from '../../render/table.ts';
import { lasting } from '../../render/time.ts';
import { REPORT_COLUMNS, reportDetail } from '../render/report.ts';
import { stat } from 'node:fs/promises';

const options = {
  rows: wholeNumber('N', 'seed: number of timesheets, such as 1000000.', 1),
  'no-wait': flag('seed: does not wait until it is filled.'),
};
type Given = Values<typeof options>;
type Verb = 'show' | 'check' | 'seed';

const DEFAULT_FOLDER = 'reports';

export const reports = defineCommand({
  name: 'reports',
  summary: 'Lists reports, checks their files, fills the sample.',
  usage: ['', 'show REPORT', 'check [FOLDER]', 'seed --rows N [--no-wait]'],
  words: { least: 0, most: 2 },
  options,
  examples: [
    'millrace reports',
    'millrace reports show timesheet-detail',
    'millrace reports check reports/',
    'millrace reports seed --rows 1000000',
  ],
  async run(context, { words, options: given }) {
    if (words.length === 0) {
      onlyFor('reports', given, []);
      return list(context);
    }
    const [verb = ''] = words;
    const named = verb === 'check' && words.length === 1 ? [verb, DEFAULT_FOLDER] : words;
    const { verb: known, object } = verbOf<Verb>('reports', named, {
      show: 'REPORT',
      check: 'FOLDER',
      seed: null,
    });
    onlyFor(`reports ${known}`, given, known === 'seed' ? ['rows', 'no-wait'] : []);
    if (known === 'show') return show(context, object);
    return known === 'check' ? check(context, object) : seed(context, given);
  },
});

async function list(context: Context): Promise<ExitCode> {
  const { client, out, err, json, quiet, document, note } = context;
  const found = await client.listReports();
  if (json) found.reports.forEach(document);
  else if (quiet) for (const { name } of found.reports) out.line(name);
  else if (found.reports.length === 0) note(`No reports. A file in ${found.folder} makes one.`);
  else
    for (const line of table<Report>(REPORT_COLUMNS, found.reports, out.columns, out.paint))
      out.line(line);
  const problems = found.troubled.flatMap((each) => each.problems);
  if (!json) for (const problem of problems) err.line(problemLine(problem, err.paint));
  if (problems.length > 0)
    note('Reports with invalid files keep their previous version, or are missing.');
  return EXIT.ok;
}

async function show({ client, out, json, document }: Context, name: string): Promise<ExitCode> {
  const report = await client.getReport({ params: { name } });
  if (json) document(report);
  else for (const line of reportDetail(report, out)) out.line(line);
  return EXIT.ok;
}

/** Without a server: for a commit hook, or CI. */
async function check(context: Context, folder: string): Promise<ExitCode> {
  const { out, json, quiet, document, note } = context;
  const { reports: names, problems } = await checkFolder(folder);
  if (json) problems.forEach(document);
  else for (const problem of problems) out.line(problemLine(problem, out.paint));
  if (problems.length > 0) {
    note(`${counted(problems.length, 'problem')} in ${folder}.`);
    return EXIT.failed;
  }
  if (!quiet) note(`${counted(names.length, 'report')} in ${folder}, nothing wrong.`);
  return EXIT.ok;
}

async function seed(context: Context, given: Given): Promise<ExitCode> {
  const { rows } = given;
  if (rows === undefined) throw new UsageError('Missing --rows N, such as --rows 1000000.');
  if (rows > MOST_SAMPLE_ROWS)
    throw new UsageError(`--rows takes at most ${count(MOST_SAMPLE_ROWS)}.`);
  const { client, out, json, quiet, document, world } = context;
  const begunAt = world.now();
  const begun = await client.fillReportSample({ body: { rows } });
  const sample = given['no-wait'] ? begun : await filled(context, begun);
  if (json) document(sample);
  else if (sample.state === 'failed') {
    context.err.line(context.err.paint('red', `The sample was not filled: ${sample.error}`));
  } else if (!quiet && sample.state === 'ready')
    out.line(`${counted(rows, 'timesheet')} in ${lasting(world.now() - begunAt)}.`);
  return sample.state === 'failed' ? EXIT.failed : EXIT.ok;
}

const LOOK_EVERY_MS = 500;
const BAR_COLUMNS = 24;

/** Ctrl-C stops watching, not the filling: half a sample is of no use to anybody. */
async function filled(
  { client, world, err, json, quiet }: Context,
  begun: ReportSample,
): Promise<ReportSample> {
  const live = err.isLive && !json && !quiet ? createLive(err) : null;
  let sample = begun;
  try {
    while (sample.state === 'filling') {
      const drawn = bar(sample.percent / 100, BAR_COLUMNS, err.paint);
      live?.draw([`${drawn} ${sample.percent} %  ${sample.makes ?? ''}`]);
      await world.wait(LOOK_EVERY_MS);
      sample = await client.getReportSample();
    }
    return sample;
  } finally {
    live?.end();
  }
}

/** The reports of a folder, read here, and everything that is wrong with their files. */
async function checkFolder(
  folder: string,
): Promise<{ readonly reports: readonly string[]; readonly problems: readonly FileProblem[] }> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() !== true) throw new UsageError(`Folder not found: "${folder}".`);
  // Only here: everything else that the command line does needs no YAML and no SQL.
  const { createCatalogue } = await import('@millrace/reports/catalogue');
  const catalogue = createCatalogue({ folder });
  await catalogue.load();
  const { reports: valid, troubled } = catalogue.now();
  return {
    reports: [...valid.keys()],
    problems: troubled.flatMap(({ problems }) => [...problems]),
  };
}
