import type { Pipeline } from '@millrace/pipelines/contract';
import type { Context } from '../../context.ts';
import { defineCommand } from '../../line/command.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { verbOf } from '../../line/verb.ts';
import { problemLine } from '../../parameters/render.ts';
import { table } from '../../render/table.ts';
import { PIPELINE_COLUMNS, pipelineDetail } from '../render/pipeline.ts';

export const pipelines = defineCommand({
  name: 'pipelines',
  summary: 'Lists the pipelines, and problems of their files.',
  usage: ['', 'show PIPELINE'],
  words: { least: 0, most: 2 },
  options: {},
  examples: ['millrace pipelines', 'millrace pipelines show monthly-statements'],
  async run(context, { words }) {
    if (words.length === 0) return list(context);
    const { object: name } = verbOf('pipelines', words, { show: 'PIPELINE' });
    return show(context, name);
  },
});

async function list(context: Context): Promise<ExitCode> {
  const { client, out, err, json, quiet, document, note } = context;
  const { pipelines: found, troubled } = await client.listPipelines();
  if (json) [...found, ...troubled].forEach(document);
  else if (quiet) for (const { name } of found) out.line(name);
  else if (found.length === 0)
    note(
      'No pipelines. Put a file into the folder pipelines/ of the server (MILLRACE_PIPELINES_FOLDER).',
    );
  else
    for (const line of table<Pipeline>(PIPELINE_COLUMNS, found, out.columns, out.paint))
      out.line(line);
  if (json) return EXIT.ok;
  for (const problem of troubled.flatMap(({ problems }) => problems))
    err.line(problemLine(problem, err.paint));
  if (troubled.length > 0)
    note('Pipelines with invalid files keep their previous version, or are missing.');
  return EXIT.ok;
}

async function show(
  { client, out, json, quiet, document }: Context,
  name: string,
): Promise<ExitCode> {
  const pipeline = await client.getPipeline({ params: { name } });
  if (json) document(pipeline);
  else if (quiet) out.line(pipeline.name);
  else for (const line of pipelineDetail(pipeline, out)) out.line(line);
  return EXIT.ok;
}
