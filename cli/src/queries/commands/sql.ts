import type { Context } from '../../context.ts';
import { defineCommand } from '../../line/command.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { flag } from '../../line/option.ts';
import { onlyFor, verbOf } from '../../line/verb.ts';
import { counted } from '../../render/number.ts';
import { cleanLines } from '../../render/width.ts';
import { midOption } from '../mid.ts';
import { writeSqlProblems } from '../sql-problems.ts';
import { sqlText } from '../sql-text.ts';

type Verb = 'check' | 'format';

export const sql = defineCommand({
  name: 'sql',
  summary: 'Checks or formats SQL for Marketing Cloud. Nothing is run.',
  usage: ['check FILE.sql [--mid MID] [--offline]', 'format FILE.sql'],
  words: { least: 1, most: 2 },
  options: {
    mid: midOption('check: the business unit.'),
    offline: flag('check: does not ask Marketing Cloud.'),
  },
  examples: ['millrace sql check opens.sql', 'millrace sql format - < opens.sql'],
  async run(context, { words, options: given }) {
    const { verb, object: file } = verbOf<Verb>('sql', words, { check: 'FILE', format: 'FILE' });
    onlyFor(`sql ${verb}`, given, verb === 'check' ? ['mid', 'offline'] : []);
    const source = await sqlText(context, undefined, file);
    return verb === 'check' ? check(context, source, given) : format(context, source);
  },
});

async function check(
  context: Context,
  source: string,
  { mid, offline }: { readonly mid?: string; readonly offline?: true },
): Promise<ExitCode> {
  const { client, out, json, quiet, document, note } = context;
  const report = await client.validateSql({
    body: { sql: source, askMarketingCloud: !offline, ...(mid !== undefined && { mid }) },
  });
  if (json) document(report);
  else {
    if (!quiet) writeSqlProblems(out, source, report);
    const { columns, problems, askedMarketingCloud } = report;
    const by = askedMarketingCloud ? ' Marketing Cloud takes it.' : '';
    const gives = columns === null ? '' : ` It gives ${counted(columns.length, 'column')}.`;
    if (report.valid) note(`No errors.${by}${gives}`);
    else
      note(`${counted(problems.filter(({ severity }) => severity === 'error').length, 'error')}.`);
  }
  return report.valid ? EXIT.ok : EXIT.failed;
}

async function format({ client, out, json, document }: Context, source: string): Promise<ExitCode> {
  const answer = await client.formatSql({ body: { sql: source } });
  if (json) document(answer);
  else out.line(cleanLines(answer.sql));
  return EXIT.ok;
}
