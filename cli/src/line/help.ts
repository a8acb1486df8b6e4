import { GLOBAL_OPTIONS } from './arguments.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exit.ts';
import type { Options } from './option.ts';

/** All help comes from the command table. */
export function overview(commands: readonly Command[]): string {
  return [
    'millrace: the queue from the terminal',
    '',
    'Usage: millrace COMMAND [options]',
    '',
    'Commands',
    ...aligned(commands.map(({ name, summary }) => [name, summary])),
    '',
    'Options of every command',
    ...aligned(optionRows(GLOBAL_OPTIONS)),
    '',
    'Exit codes',
    ...aligned(Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning])),
    '',
    '"millrace help COMMAND" shows the options of a command.',
  ].join('\n');
}

export function commandHelp({ name, summary, usage, options, examples }: Command): string {
  const own = optionRows(options);
  return [
    `millrace ${name}: ${summary}`,
    '',
    ...usage.map((words, index) =>
      `${index === 0 ? 'Usage:' : '      '} millrace ${name} ${words}`.trimEnd(),
    ),
    ...(own.length === 0 ? [] : ['', 'Options', ...aligned(own)]),
    '',
    'Options of every command',
    ...aligned(optionRows(GLOBAL_OPTIONS)),
    ...(examples.length === 0
      ? []
      : ['', 'Examples', ...examples.map((example) => `  ${example}`)]),
  ].join('\n');
}

function optionRows(options: Options): [string, string][] {
  return Object.entries(options).map(([name, { value, short, summary }]) => {
    const long = value === null ? `--${name}` : `--${name} ${value}`;
    return [short === undefined ? long : `${long}, -${short}`, summary];
  });
}

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const widest = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, summary]) => `  ${name.padEnd(widest)}  ${summary}`);
}
