import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import { text } from '../../line/option.ts';
import { count, counted } from '../../render/number.ts';
import { messagesOfServer } from '../../server-program.ts';
import { UsageError } from '../../line/usage-error.ts';

/** A message of the server's own program. */
type Told =
  | { readonly type: 'begin'; readonly from: string; readonly to: string; readonly tables: number }
  | { readonly type: 'table'; readonly table: string; readonly rows: number; readonly hash: string }
  | {
      readonly type: 'end';
      readonly tables: number;
      readonly rows: number;
      readonly sequences: number;
    }
  | { readonly type: 'files'; readonly what: string; readonly folder: string };

export const move = defineCommand({
  name: 'move',
  summary: 'Moves the embedded database into an empty Postgres.',
  usage: ['--to URL'],
  words: { least: 0, most: 0 },
  options: {
    to: text('URL', 'The Postgres to move into, such as postgres://user@host/name.'),
  },
  examples: [
    'millrace move --to postgres://user@host/name?sslmode=verify-full',
    'PGPASSWORD=… millrace move --to postgres://user@localhost/name --json',
  ],
  async run(context, { options: { to } }) {
    if (to === undefined)
      throw new UsageError('Missing the target: --to postgres://user@host/name');
    for await (const told of messagesOfServer<Told>(context, 'move', [`--to=${to}`]))
      show(context, told);
    return EXIT.ok;
  },
});

const WIDTHS = { table: 28, rows: 12 };

function show({ out, json, quiet, document, note }: Context, told: Told): void {
  if (json) return document(told);
  switch (told.type) {
    case 'begin':
      return note(`From ${told.from} to ${told.to}: ${counted(told.tables, 'table')}.`);
    case 'table': {
      if (quiet) return out.line(`${told.table} ${told.rows} ${told.hash}`);
      const rows = count(told.rows).padStart(WIDTHS.rows);
      return out.line(`${told.table.padEnd(WIDTHS.table)}${rows}  ${told.hash}`);
    }
    case 'end':
      return note(
        `Moved and compared: ${counted(told.tables, 'table')}, ${counted(told.rows, 'row')}, ${counted(told.sequences, 'sequence')}. The source is unchanged. Set DATABASE_URL to the new database, and start.`,
      );
    case 'files':
      return note(
        `Not moved: ${told.what}, in the folder ${told.folder}. To run on another machine, copy that folder too.`,
      );
  }
}
