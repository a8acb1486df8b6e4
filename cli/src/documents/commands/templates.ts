import { basename } from 'node:path';
import { ApiError, type Client, MAX_PAGE } from '@millrace/api';
import { DOCX_TYPE, type LintReport, type Template } from '@millrace/documents/contract';
import { defineCommand } from '../../line/command.ts';
import { confirm, requirePerson } from '../../terminal/confirm.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { openInput, readBytes } from '../../input.ts';
import { type Values, flag, text } from '../../line/option.ts';
import { count, counted, size } from '../../render/number.ts';
import { fieldsOf, inOrder, problemLine } from '../render/problems.ts';
import { type Column, table } from '../../render/table.ts';
import { relative } from '../../render/time.ts';
import { clean } from '../../render/width.ts';
import { onlyFor, verbOf } from '../../line/verb.ts';
import type { Screen } from '../../terminal/screen.ts';
import { fieldLines } from '../../render/fields.ts';

const options = {
  name: text('NAME', "Of add: the template's name; the file's unless given."),
  yes: flag('remove: does not ask for confirmation.', 'y'),
};
type Given = Values<typeof options>;

export const templates = defineCommand({
  name: 'templates',
  summary: 'Lists, adds, shows and removes templates of the server.',
  usage: ['', 'add FILE [--name NAME]', 'show NAME|ID', 'remove NAME|ID [--yes]'],
  words: { least: 0, most: 2 },
  options,
  examples: [
    'millrace templates',
    'millrace templates add invoice.docx',
    'millrace templates show invoice',
    'millrace templates remove tpl-7 --yes',
  ],
  async run(context, { words, options: given }) {
    if (words.length === 0) return list(context, given);
    const { verb, object } = verbOf('templates', words, {
      add: 'FILE',
      show: 'NAME',
      remove: 'NAME',
    });
    onlyFor(`templates ${verb}`, given, ALLOWED[verb]);
    if (verb === 'add') return add(context, object, given);
    return verb === 'show' ? show(context, object) : remove(context, object, given);
  },
});

const ALLOWED: Readonly<Record<'add' | 'show' | 'remove', readonly (keyof Given)[]>> = {
  add: ['name'],
  show: [],
  remove: ['yes'],
};

type TemplatePage = Awaited<ReturnType<Client['listTemplates']>>;

async function everyPage(ask: (cursor?: string) => Promise<TemplatePage>): Promise<Template[]> {
  const found: Template[] = [];
  let next: string | null | undefined;
  do {
    const page: TemplatePage = await ask(next ?? undefined);
    found.push(...page.templates);
    next = page.next;
  } while (next !== null);
  return found;
}

function versionsOf(client: Client, id: string): Promise<Template[]> {
  return everyPage((cursor) =>
    client.listTemplateVersions({ params: { id }, query: { limit: MAX_PAGE, cursor } }),
  );
}

async function list(context: Context, given: Given): Promise<ExitCode> {
  const { client, out, json, quiet, document, note, world } = context;
  onlyFor('templates', given, []);
  const found = await everyPage((cursor) =>
    client.listTemplates({ query: { limit: MAX_PAGE, cursor } }),
  );
  if (json) for (const template of found) document(template);
  else if (quiet) for (const { name } of found) out.line(clean(name));
  else if (found.length === 0) note('No templates. Add one: millrace templates add FILE.docx');
  else
    for (const line of table(columns(world.now()), found, out.columns, out.paint)) out.line(line);
  return EXIT.ok;
}

export function columns(now: number): Column<Template>[] {
  return [
    { header: 'TEMPLATE', shrinkTo: 12, cell: ({ name }) => name },
    { header: 'VERSION', align: 'right', cell: ({ version }) => count(version) },
    { header: 'ID', cell: ({ id }) => id },
    { header: 'SIZE', align: 'right', leaveOut: 2, cell: (template) => size(template.size) },
    { header: 'ADDED', leaveOut: 1, cell: ({ createdAt }) => relative(createdAt, now) },
    {
      header: 'BY',
      shrinkTo: 6,
      leaveOut: 3,
      cell: ({ createdBy, owner }) => `${createdBy ?? '-'}${owner === null ? '' : ' (own)'}`,
      style: () => 'dim',
    },
  ];
}

async function add(context: Context, file: string, { name }: Given): Promise<ExitCode> {
  const { client, out, err, json, quiet, document, note } = context;
  const bytes = await readBytes(await openInput(context, file));
  const called = name ?? basename(file).replace(/\.docx$/i, '');
  try {
    const answer = await client.addTemplate({
      params: { id: called },
      upload: { type: DOCX_TYPE, bytes },
    });
    const { template, created, lint } = answer;
    if (json) document(answer);
    else if (quiet) out.line(template.id);
    else out.line(`${clean(template.name)}  version ${count(template.version)}  ${template.id}`);
    if (!json && !quiet)
      for (const problem of lint.problems) err.line(problemLine(problem, err.paint));
    if (!created) note('The newest version is already the same file.');
    return EXIT.ok;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.problem.code === 'template_invalid')
      note(`"millrace lint ${file}" lists all its problems.`);
    throw thrown;
  }
}

async function show(context: Context, id: string): Promise<ExitCode> {
  const { client, out, json, quiet, document, world } = context;
  const { template, lint } = await client.getTemplate({ params: { id } });
  if (quiet && !json) {
    out.line(template.id);
    return EXIT.ok;
  }
  const versions = await versionsOf(client, template.id);
  if (json) document({ template, lint, versions });
  else for (const line of templateDetail(template, lint, world.now(), out)) out.line(line);
  if (!json && versions.length > 1) {
    out.line('');
    for (const line of table(columns(world.now()), versions, out.columns, out.paint))
      out.line(line);
  }
  return EXIT.ok;
}

async function remove(context: Context, id: string, { yes }: Given): Promise<ExitCode> {
  const { client, out, json, quiet, document, note } = context;
  if (!yes) {
    requirePerson(context);
    const question = questionFor(id, await versionsOf(client, id));
    if (!(await confirm(context, question))) {
      note('Nothing was removed.');
      return EXIT.ok;
    }
  }
  const answer = await client.deleteTemplate({ params: { id } });
  if (json) document(answer);
  else if (quiet) for (const removed of answer.removed) out.line(removed);
  else out.line(`${counted(answer.removed.length, 'version')} removed.`);
  return EXIT.ok;
}

/** An id means one version, a name all of them: whoever mixes them up reads it here. */
function questionFor(id: string, versions: readonly Template[]): string {
  const one = versions.find((version) => version.id === id);
  const name = clean(versions[0]?.name ?? id);
  const what =
    one === undefined
      ? `the template "${name}", ${counted(versions.length, 'version')}`
      : `version ${count(one.version)} of the template "${name}"`;
  return `Remove ${what}? This cannot be undone.`;
}

/** Everything about one version, top to bottom. */
function templateDetail(
  template: Template,
  lint: LintReport,
  now: number,
  screen: Screen,
): string[] {
  const { name, version, id, createdAt, createdBy, sha256 } = template;
  const { paint } = screen;
  const by = createdBy === null ? '' : ` by ${createdBy}`;
  const fields = fieldsOf(lint).map(({ path }) => path);
  return [
    `${paint('bold', clean(name))}  version ${count(version)}  ${id}`,
    ...fieldLines(
      [
        ['added', `${relative(createdAt, now)}${by}`],
        ['size', size(template.size)],
        ['sha256', sha256],
        ['fields', fields.length === 0 ? 'none' : fields.join('\n')],
        ['fonts', lint.fonts.length === 0 ? null : lint.fonts.join(', ')],
        ['missing', lint.missingFonts.length === 0 ? null : lint.missingFonts.join(', ')],
      ],
      screen,
    ),
    ...(lint.problems.length === 0 ? [] : ['']),
    ...inOrder(lint.problems).map((problem) => problemLine(problem, paint)),
  ];
}
