import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import { flag, text } from '../../line/option.ts';
import type { Style } from '../../render/colour.ts';
import { counted } from '../../render/number.ts';
import { messagesOfServer } from '../../server-program.ts';
import { UsageError } from '../../line/usage-error.ts';

/** A message of the server's own program. */
interface Part {
  readonly type: 'part';
  readonly part: string;
  readonly state: 'up to date' | 'applied' | 'pending' | 'newer';
  readonly version: string | null;
  readonly migrations: readonly string[];
}
type Told = Part | { readonly type: 'sql'; readonly sql: string };

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Creates or updates the tables of the database.',
  usage: ['', '--check', '--dry-run', '--grants ROLE'],
  words: { least: 0, most: 0 },
  options: {
    check: flag('Changes nothing; exits with 1 if migrations are due.'),
    'dry-run': flag('Changes nothing; prints the SQL, for psql.'),
    grants: text('ROLE', 'Prints the rights a role needs with MIGRATE=off.'),
  },
  examples: [
    'millrace migrate',
    'DATABASE_URL=postgres://owner@db/mill millrace migrate --check',
    'millrace migrate --grants millrace_app | psql "$DATABASE_URL"',
  ],
  async run(context, { options: { check, 'dry-run': dryRun, grants } }) {
    if ([check, dryRun, grants].filter((each) => each !== undefined).length > 1)
      throw new UsageError('Give one of --check, --dry-run and --grants.');
    const args = [
      ...(check ? ['--check'] : []),
      ...(dryRun ? ['--script'] : []),
      ...(grants === undefined ? [] : [`--grants=${grants}`]),
    ];
    const parts: Part[] = [];
    for await (const told of messagesOfServer<Told>(context, 'schema', args)) {
      show(context, told);
      if (told.type === 'part') parts.push(told);
    }
    const pending = countOf(parts, 'pending');
    const applied = countOf(parts, 'applied');
    if (pending > 0) context.note(`${counted(pending, 'migration')} to apply: millrace migrate`);
    else if (parts.length > 0)
      context.note(applied === 0 ? 'Nothing to do.' : `${counted(applied, 'migration')} applied.`);
    return pending > 0 ? EXIT.failed : EXIT.ok;
  },
});

function countOf(parts: readonly Part[], state: Part['state']): number {
  return parts.reduce((sum, each) => sum + (each.state === state ? each.migrations.length : 0), 0);
}

const STYLES: Readonly<Record<Part['state'], Style>> = {
  'up to date': 'green',
  applied: 'green',
  pending: 'yellow',
  newer: 'yellow',
};
const WIDTHS = { part: 12, state: 12, version: 26 };

function show({ out, json, quiet, document }: Context, told: Told): void {
  if (json) return document(told);
  if (told.type === 'sql') {
    if (told.sql !== '') out.line(told.sql);
    return;
  }
  const { part, state, version, migrations } = told;
  if (quiet) {
    for (const file of migrations) out.line(`${part}/${file}`);
    return;
  }
  const head = `${part.padEnd(WIDTHS.part)}${out.paint(STYLES[state], state.padEnd(WIDTHS.state))}`;
  out.line(`${head}${(version ?? '-').padEnd(WIDTHS.version)}${migrations.join(' ')}`.trimEnd());
}
