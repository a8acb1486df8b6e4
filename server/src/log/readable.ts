const COLOURS: Readonly<Record<string, string>> = {
  trace: '\u001B[90m',
  debug: '\u001B[90m',
  info: '\u001B[32m',
  warn: '\u001B[33m',
  error: '\u001B[31m',
  fatal: '\u001B[31m',
};
const PLAIN = '\u001B[0m';
const FAINT = '\u001B[2m';

/** A JSON log line as one line for a person: `09:30:00 info  The message  name=value …`. */
export function readable(json: string): string {
  const { time, level, msg = '', err, stack, ...fields } = JSON.parse(json) as Line;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const head = `${FAINT}${time.slice(11, 19)}${PLAIN} ${COLOURS[level] ?? ''}${level.padEnd(5)}${PLAIN}`;
  const tail = rest.length === 0 ? '' : ` ${FAINT}${rest.join(' ')}${PLAIN}`;
  const thrown = err === undefined ? stack : (err.stack ?? err.message ?? '');
  const below = thrown === undefined ? '' : `\n${printable(thrown)}`;
  return `${head} ${printable(msg)}${tail}${below}\n`;
}

/** As log.ts writes it. */
interface Line {
  readonly time: string;
  readonly level: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
  /** The error of a failed execution. */
  readonly stack?: string;
  readonly [field: string]: unknown;
}

function shown(value: unknown): string {
  // Quoted where it would run into the next field.
  if (typeof value === 'string' && /^[\w.:/@-]+$/.test(value)) return value;
  return printable(JSON.stringify(value));
}

/** What a request or a handler puts into a log must not steer the reader's terminal. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '?');
}
