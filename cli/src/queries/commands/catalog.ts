import type { Catalog, CatalogField } from '@millrace/queries/contract';
import type { Context } from '../../context.ts';
import { defineCommand } from '../../line/command.ts';
import { EXIT, type ExitCode } from '../../line/exit.ts';
import { flag } from '../../line/option.ts';
import { type Column, table } from '../../render/table.ts';
import { clean } from '../../render/width.ts';
import { midOption } from '../mid.ts';

export const catalog = defineCommand({
  name: 'catalog',
  summary: 'Lists the tables of queries, or the fields of one.',
  usage: ['', 'TABLE'],
  words: { least: 0, most: 1 },
  options: {
    mid: midOption('The business unit; default: your first.'),
    refresh: flag('Asks Marketing Cloud again.'),
  },
  examples: ['millrace catalog', 'millrace catalog _Open', 'millrace catalog "Loyal customers"'],
  async run(context, { words: [name], options: { mid, refresh } }) {
    const found = await context.client.getCatalog({
      query: {
        ...(mid !== undefined && { mid }),
        ...(name !== undefined && { dataExtension: name }),
        ...(refresh && { refresh: 'true' }),
      },
    });
    if (context.json) {
      context.document(found);
      return EXIT.ok;
    }
    return name === undefined ? list(context, found) : show(context, found);
  },
});

interface Listed {
  readonly name: string;
  readonly what: string;
  /** The key of a data extension; data views have none. */
  readonly customerKey: string;
}

const LISTED: readonly Column<Listed>[] = [
  { header: 'NAME', shrinkTo: 16, cell: ({ name }) => name },
  { header: 'WHAT', cell: ({ what }) => what },
  { header: 'KEY', shrinkTo: 12, leaveOut: 1, cell: ({ customerKey }) => customerKey },
];

function list(
  { out, quiet, note }: Context,
  { mid, dataExtensions, dataViews }: Catalog,
): ExitCode {
  const all: Listed[] = [
    ...dataExtensions.map(({ name, customerKey }) => ({
      name,
      what: 'data extension',
      customerKey,
    })),
    ...dataViews.map(({ name }) => ({ name, what: 'data view', customerKey: '-' })),
  ];
  if (quiet) for (const { name } of all) out.line(clean(name));
  else for (const line of table(LISTED, all, out.columns, out.paint)) out.line(line);
  if (!quiet && dataExtensions.length === 0)
    note(
      `The business unit ${clean(mid)} has no data extensions, or the installed package has no access to them.`,
    );
  return EXIT.ok;
}

const FIELDS: readonly Column<CatalogField>[] = [
  { header: 'FIELD', shrinkTo: 16, cell: ({ name }) => name },
  { header: 'TYPE', cell: ({ type }) => type },
  { header: 'LENGTH', align: 'right', cell: ({ maxLength }) => String(maxLength ?? '-') },
  { header: 'KEY', leaveOut: 2, cell: ({ isPrimaryKey }) => (isPrimaryKey ? 'yes' : 'no') },
  { header: 'REQUIRED', leaveOut: 1, cell: ({ isRequired }) => (isRequired ? 'yes' : 'no') },
];

function show({ out, quiet }: Context, { dataExtensions, dataViews }: Catalog): ExitCode {
  const fields = [...dataExtensions, ...dataViews].flatMap((each) => each.fields ?? []);
  if (quiet) for (const { name } of fields) out.line(clean(name));
  else for (const line of table(FIELDS, fields, out.columns, out.paint)) out.line(line);
  return EXIT.ok;
}
