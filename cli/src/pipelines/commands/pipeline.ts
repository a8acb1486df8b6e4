import type { PipelineRun } from '@millrace/pipelines/contract';
import type { Context } from '../../context.ts';
import { type Free, defineCommand } from '../../line/command.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { type Values, flag, past, state, text, wholeNumber } from '../../line/option.ts';
import { onlyFor, refuseFree, verbOf } from '../../line/verb.ts';
import { completable } from '../../parameters/given.ts';
import { exitCodeFor } from '../../jobs/ended.ts';
import { listRuns } from '../../runs/list.ts';
import { runColumns, runDetail } from '../render/run.ts';
import { followPipeline, sayId, startPipeline } from '../run-pipeline.ts';

const options = {
  key: text('KEY', 'run: runs with the same key start once.'),
  'no-wait': flag('run, resume: only prints the id.'),
  'with-file': flag('resume: uses the current version of the file.'),
  pipeline: text('PIPELINE', 'list: only runs of this pipeline.'),
  state: state('list: QUEUED, PROCESSING, SUCCEEDED, …'),
  submitter: text('NAME', 'list: only runs started by this person.'),
  since: past('list: only runs created since then.'),
  limit: wholeNumber('N', 'list: maximum number of rows; default: 20.', 1),
  all: flag('list: no maximum.'),
};
type Given = Values<typeof options>;
type Verb = 'run' | 'list' | 'show' | 'watch' | 'resume' | 'cancel';

const OBJECTS: Readonly<Record<Verb, string | null>> = {
  run: 'PIPELINE',
  list: null,
  show: 'ID',
  watch: 'ID',
  resume: 'ID',
  cancel: 'ID',
};

const ALLOWED: Readonly<Record<Verb, readonly (keyof Given)[]>> = {
  run: ['key', 'no-wait'],
  list: ['pipeline', 'state', 'submitter', 'since', 'limit', 'all'],
  show: [],
  watch: [],
  resume: ['no-wait', 'with-file'],
  cancel: [],
};

export const pipeline = defineCommand({
  name: 'pipeline',
  summary: 'Runs a pipeline step by step; lists, stops, resumes runs.',
  usage: [
    'run PIPELINE [--PARAMETER VALUE...] [--no-wait]',
    'list [--state STATE] [--limit N|--all]',
    'show ID',
    'watch ID',
    'resume ID [--with-file] [--no-wait]',
    'cancel ID',
  ],
  words: { least: 1, most: 2 },
  options,
  open: true,
  examples: [
    'millrace pipeline run monthly-statements --month 2026-10',
    'millrace pipeline list --state failed --since 1d',
    'millrace pipeline resume pipe-7',
  ],
  async freeOptions({ client }, [verb, name]) {
    if (verb !== 'run' || name === undefined || name.startsWith('-')) return {};
    return completable((await client.getPipeline({ params: { name } })).parameters);
  },
  async run(context, { words, options: given, free }) {
    const { verb, object } = verbOf<Verb>('pipeline', words, OBJECTS);
    onlyFor(`pipeline ${verb}`, given, ALLOWED[verb]);
    if (verb !== 'run') refuseFree(`pipeline ${verb}`, free);
    return ACTIONS[verb](context, object, given, free);
  },
});

type Action = (context: Context, object: string, given: Given, free: Free) => Promise<ExitCode>;

const ACTIONS: Readonly<Record<Verb, Action>> = {
  async run(context, name, { key, 'no-wait': noWait }, free) {
    const asked = { name, free, options: Object.keys(options), ...(key !== undefined && { key }) };
    const run = await startPipeline(context, asked);
    return noWait ? sayId(context, run) : followPipeline(context, run);
  },
  list(context, _, { limit, all, since, pipeline: name, state: inState, submitter }) {
    const { client, world } = context;
    const filter = {
      pipeline: name,
      state: inState,
      submitter,
      createdAfter: since?.(world.now()),
    };
    return listRuns<PipelineRun>(
      context,
      { limit, all },
      {
        page: (query) => client.listPipelineRuns({ query: { ...filter, ...query } }),
        columns: runColumns,
        none: 'No runs. "millrace pipeline run PIPELINE" starts one.',
      },
    );
  },
  async show({ client, out, json, quiet, document, world }, id) {
    const run = await client.getPipelineRun({ params: { id } });
    if (json) document(run);
    else if (quiet) out.line(run.state);
    else for (const line of runDetail(run, world.now(), out)) out.line(line);
    return exitCodeFor([run.state]);
  },
  async watch(context, id) {
    return followPipeline(context, await context.client.getPipelineRun({ params: { id } }));
  },
  async resume(context, id, { 'with-file': withFile = false, 'no-wait': noWait }) {
    const run = await context.lastWord.resumePipelineRun({ params: { id }, body: { withFile } });
    return noWait ? sayId(context, run) : followPipeline(context, run);
  },
  async cancel({ client, out, json, quiet, document }, id) {
    const run = await client.cancelPipelineRun({ params: { id } });
    if (json) document(run);
    else if (!quiet) out.line(`${id} is cancelled. "millrace pipeline resume ${id}" continues it.`);
    return EXIT.ok;
  },
};
