import { ApiError, MAX_PAGE } from '@millrace/api';
import type { Snippet } from '@millrace/queries/contract';
import type { Context } from '../../context.ts';
import { defineCommand } from '../../line/command.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { type Values, flag, text } from '../../line/option.ts';
import { onlyFor, verbOf } from '../../line/verb.ts';
import { type Column, table } from '../../render/table.ts';
import { relative } from '../../render/time.ts';
import { clean, cleanLines } from '../../render/width.ts';
import { showSqlWarnings } from '../sql-problems.ts';
import { sqlText } from '../sql-text.ts';

const options = {
  file: text('FILE.sql', 'save: the SQL; default: standard input.'),
  shared: flag('save: everybody in the tenant can see and run it.'),
};
type Given = Values<typeof options>;
type Verb = 'save' | 'show' | 'delete';

export const snippets = defineCommand({
  name: 'snippets',
  summary: 'Lists, saves, shows and deletes SQL under a name.',
  usage: ['', 'save NAME [SQL | --file FILE.sql] [--shared]', 'show SNIPPET', 'delete SNIPPET'],
  words: { least: 0, most: 3 },
  options,
  examples: [
    'millrace snippets save opens-by-day --file opens.sql --shared',
    'millrace query --snippet opens-by-day',
  ],
  async run(context, { words, options: given }) {
    if (words.length === 0) return list(context, given);
    const { verb, object: name } = verbOf<Verb>('snippets', words, VERBS);
    onlyFor(`snippets ${verb}`, given, verb === 'save' ? ['file', 'shared'] : []);
    if (verb === 'save') return save(context, name, words[2], given);
    return verb === 'show' ? show(context, name) : remove(context, name);
  },
});

const VERBS = { save: 'NAME', show: 'SNIPPET', delete: 'SNIPPET' };

async function list(context: Context, given: Given): Promise<ExitCode> {
  onlyFor('snippets', given, []);
  const { out, json, quiet, document, note, world } = context;
  const found = await every(context);
  if (json) found.forEach(document);
  else if (quiet) for (const { name } of found) out.line(clean(name));
  else if (found.length === 0) note('No snippets. Save one: millrace snippets save NAME SQL');
  else
    for (const line of table(columns(world.now()), found, out.columns, out.paint)) out.line(line);
  return EXIT.ok;
}

async function every({ client }: Context): Promise<Snippet[]> {
  const found: Snippet[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await client.listSnippets({ query: { limit: MAX_PAGE, cursor } });
    found.push(...page.snippets);
    if (page.next === null) return found;
    cursor = page.next;
  }
}

function columns(now: number): Column<Snippet>[] {
  return [
    { header: 'SNIPPET', shrinkTo: 12, cell: ({ name }) => name },
    { header: 'SHARED', cell: ({ shared }) => (shared ? 'yes' : 'no') },
    { header: 'BY', shrinkTo: 6, leaveOut: 3, cell: ({ owner }) => owner },
    { header: 'SAVED', leaveOut: 2, cell: ({ updatedAt }) => relative(updatedAt, now) },
    {
      header: 'SQL',
      shrinkTo: 12,
      leaveOut: 1,
      cell: ({ sqlText: sql }) => sql.replaceAll(/\s+/g, ' ').trim(),
      style: () => 'dim',
    },
  ];
}

async function save(
  context: Context,
  name: string,
  typed: string | undefined,
  { file, shared = false }: { file?: string; shared?: boolean },
): Promise<ExitCode> {
  const { client, out, json, quiet, document } = context;
  const sql = await sqlText(context, typed, file);
  const isThere = await has(context, name);
  const saved = await client.saveSnippet({ params: { name }, body: { sql, shared } });
  if (json) document(saved);
  else if (!quiet)
    out.line(
      `${clean(saved.name)} is ${isThere ? 'replaced' : 'saved'}${saved.shared ? ' and shared' : ''}.`,
    );
  await showSqlWarnings(context, sql, undefined);
  return EXIT.ok;
}

async function has({ client }: Context, name: string): Promise<boolean> {
  try {
    await client.getSnippet({ params: { name } });
    return true;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.problem.code === 'snippet_not_found') return false;
    throw thrown;
  }
}

async function show({ client, out, json, document }: Context, name: string): Promise<ExitCode> {
  const found = await client.getSnippet({ params: { name } });
  if (json) document(found);
  else out.line(cleanLines(found.sqlText));
  return EXIT.ok;
}

async function remove(context: Context, name: string): Promise<ExitCode> {
  const { client, out, json, quiet, document } = context;
  const answer = await client.deleteSnippet({ params: { name } });
  if (json) document(answer);
  else if (!quiet) out.line(`${clean(answer.removed)} is deleted.`);
  return EXIT.ok;
}
