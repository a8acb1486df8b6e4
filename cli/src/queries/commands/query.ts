import { ApiError } from '@millrace/api';
import type { Run } from '@millrace/queries/contract';
import type { Context } from '../../context.ts';
import { hasEnded } from '../../jobs/ended.ts';
import { defineCommand } from '../../line/command.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { type Values, flag, text } from '../../line/option.ts';
import { UsageError } from '../../line/usage-error.ts';
import { cleanLines } from '../../render/width.ts';
import { midOption } from '../mid.ts';
import { endSentence } from '../render/run.ts';
import { RESULT_OPTIONS, destinationOf, giveResults } from '../results.ts';
import { showSqlProblems, showSqlWarnings } from '../sql-problems.ts';
import { sqlText } from '../sql-text.ts';
import { watchQuery } from '../watch-query.ts';

const options = {
  file: text('FILE.sql', 'The SQL; - reads standard input.'),
  snippet: text('SNIPPET', 'A saved snippet instead of SQL.'),
  mid: midOption('The business unit; default: your first.'),
  ...RESULT_OPTIONS,
  'no-wait': flag('Only prints the id of the run.'),
};
type Given = Values<typeof options>;

export const query = defineCommand({
  name: 'query',
  summary: 'Runs SQL on Marketing Cloud and shows its rows.',
  usage: [
    'SQL [--mid MID] [-o OUT.xlsx] [options]',
    '--file FILE.sql [options]',
    '--snippet SNIPPET [options]',
  ],
  words: { least: 0, most: Infinity },
  options,
  examples: [
    `millrace query "SELECT TOP 10 * FROM _Subscribers"`,
    'millrace query --file opens.sql -o opens.xlsx',
    'millrace query --snippet opens-by-day --json | jq .rows',
  ],
  async run(context, { words, options: given }) {
    const [typed] = words;
    if (words.length > 1)
      throw new UsageError(
        `The SQL was given as ${words.length} words: put it in quotes, such as millrace query "SELECT TOP 5 …".`,
      );
    if (given['no-wait'] && given.output !== undefined)
      throw new UsageError('With --no-wait nothing is downloaded: leave out -o.');
    const destination = await destinationOf(context, given);
    const asked = await askedFor(context, typed, given);
    const started = await start(context, asked, given.mid);
    if (started === null) return EXIT.refused;
    if (given['no-wait']) {
      if (context.json) context.document(started);
      else context.out.line(started.id);
      return EXIT.ok;
    }
    if ('sql' in asked) await showSqlWarnings(context, asked.sql, given.mid);
    const ended = await untilOver(context, started);
    if (ended.status !== 'ready') return reportEnd(context, ended);
    await giveResults(context, ended, destination, given);
    return EXIT.ok;
  },
});

type Asked = { readonly sql: string } | { readonly snippet: string };

async function askedFor(
  context: Context,
  typed: string | undefined,
  { file, snippet }: Given,
): Promise<Asked> {
  if (snippet === undefined) {
    if (typed === undefined && file === undefined)
      throw new UsageError('Missing query: write the SQL, or give --file or --snippet.');
    // `-` alone is standard input, as everywhere; no SQL is a minus.
    return typed === '-' && file === undefined
      ? { sql: await sqlText(context, undefined, '-') }
      : { sql: await sqlText(context, typed, file) };
  }
  if (typed !== undefined || file !== undefined)
    throw new UsageError('Give either SQL or --snippet.');
  return { snippet };
}

/** Null where the SQL is wrong, which has been shown then. It is sent whole also after Ctrl-C, so that there is a run to cancel. */
async function start(context: Context, asked: Asked, mid: string | undefined): Promise<Run | null> {
  try {
    return await context.lastWord.startRun({
      body: { ...asked, ...(mid !== undefined && { mid }) },
    });
  } catch (thrown) {
    const isSql = thrown instanceof ApiError && thrown.problem.code === 'invalid_sql';
    if (!isSql || context.json || !('sql' in asked)) throw thrown;
    const isShown = await showSqlProblems(context, asked.sql, mid);
    if (!isShown) throw thrown;
    return null;
  }
}

/** Ctrl-C cancels: whoever stops a query wants it stopped. A server that is lost sight of does not cancel it. */
async function untilOver(context: Context, started: Run): Promise<Run> {
  const { world, note, lastWord } = context;
  const { id } = started;
  try {
    world.interrupted.throwIfAborted();
    return await watchQuery(context, started);
  } catch (thrown) {
    if (!world.interrupted.aborted) {
      note(`${id} continues in the background: "millrace runs watch ${id}" shows its progress.`);
      throw thrown;
    }
    note(`Cancelling ${id}. Ctrl-C again leaves it running.`);
    const canceled = await cancel(lastWord, id);
    note(canceled ? `${id} is cancelled.` : `${id} had already ended.`);
    throw thrown;
  }
}

async function cancel(client: Context['lastWord'], id: string): Promise<boolean> {
  try {
    await client.cancelRun({ params: { id } });
    return true;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.problem.code === 'run_finished') return false;
    throw thrown;
  }
}

/** A run without rows: failed, or cancelled by somebody. */
export function reportEnd({ err, json, document }: Context, run: Run): ExitCode {
  if (!hasEnded(run.state)) throw new Error(`${run.id} is not over`);
  if (json) document(run);
  else err.line(err.paint('red', cleanLines(endSentence(run))));
  return EXIT.failed;
}
