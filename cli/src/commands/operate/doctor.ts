import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import type { Style } from '../../render/colour.ts';
import { paragraph } from '../../render/fields.ts';
import { messagesOfServer } from '../../server-program.ts';

/** A message of the server's own program. */
interface Finding {
  readonly check: string;
  readonly verdict: 'ok' | 'missing' | 'cannot tell';
  readonly found: string;
  readonly advice: string | null;
}

const STYLES: Readonly<Record<Finding['verdict'], Style>> = {
  ok: 'green',
  missing: 'red',
  'cannot tell': 'yellow',
};

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Checks this machine for a server, and says what to fix.',
  usage: [''],
  words: { least: 0, most: 0 },
  options: {},
  examples: ['millrace doctor', 'DATABASE_URL=postgres://… millrace doctor --json'],
  async run(context) {
    const { running } = context;
    const findings = messagesOfServer<Finding>(context, 'doctor');
    show(context, {
      check: 'server',
      verdict: 'ok',
      found:
        running === null ? 'No server of yours is running here.' : `Running at ${running.url}.`,
      advice: running === null ? '"npm start" or "millrace start" starts one.' : null,
    });
    let isMissing = false;
    for await (const found of findings) {
      isMissing ||= found.verdict === 'missing';
      show(context, found);
    }
    return isMissing ? EXIT.failed : EXIT.ok;
  },
});

const HEAD = 13;
const NAME = 22;

function show({ out, json, quiet, document }: Context, found: Finding): void {
  if (json) return document(found);
  if (quiet) {
    if (found.verdict !== 'ok') out.line(found.check);
    return;
  }
  const { check, verdict, advice } = found;
  // A name that is a sentence of its own, or a narrow terminal, leaves no room beside it.
  const isNarrow = out.columns < 70 || check.length >= NAME;
  const indent = isNarrow ? 2 : HEAD + NAME;
  const text = advice === null ? found.found : `${found.found} ${advice}`;
  const [first = '', ...rest] = paragraph(text, out.columns - indent);
  const head = `${out.paint(STYLES[verdict], verdict.padEnd(HEAD))}${check.padEnd(NAME)}`;
  const body = isNarrow ? [first, ...rest] : rest;
  out.line(isNarrow ? head.trimEnd() : `${head}${first}`);
  for (const line of body) out.line(`${' '.repeat(indent)}${line}`);
}
