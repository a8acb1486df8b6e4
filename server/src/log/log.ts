import { type Logger, pino } from 'pino';
import { errorFields } from './error.ts';
import { createMask } from './mask.ts';
import { redact } from './redact.ts';

export type { Logger } from 'pino';

export interface LogOptions {
  readonly level: string;
  /** One readable line each instead of JSON: for a person at a terminal. */
  readonly readable: boolean;
  /** Values that are cut out wherever they turn up, in messages and stacks too. */
  readonly secrets: readonly string[];
  readonly write?: (line: string) => void;
}

export function createLog({ level, readable: forPeople, secrets, write }: LogOptions): Logger {
  const mask = createMask(secrets);
  const out = write ?? destination();
  // Parsed once for each logger: pino keeps what is bound as text.
  const bound = new WeakMap<Logger, Readonly<Record<string, unknown>>>();
  const boundTo = (logger: Logger): Readonly<Record<string, unknown>> => {
    const known = bound.get(logger) ?? logger.bindings();
    bound.set(logger, known);
    return known;
  };
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
      hooks: {
        logMethod([first, ...rest], method) {
          const given: unknown = first;
          const isFields = typeof given === 'object' && given !== null && !(given instanceof Error);
          method.apply(this, [isFields ? apart(given, boundTo(this)) : given, ...rest] as never);
        },
      },
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redact(fields) as typeof fields,
      },
    },
    {
      write(line: string) {
        const safe = mask(line);
        out(forPeople ? readable(safe) : safe);
      },
    },
  );
  const { child } = log;
  // Inherited by each child: pino makes them with this logger as their prototype, and asks no formatter there.
  return Object.assign(log, {
    child(this: Logger, ...[fields, options]: Parameters<typeof child>) {
      return child.call(this, apart(fields, boundTo(this)), options);
    },
  });
}

function destination(): (line: string) => void {
  const stdout = pino.destination(1);
  return (line) => stdout.write(line);
}

/** The base fields of every line. */
const OF_THE_LINE: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'pid', 'hostname']);

/**
 * Fields that double none of the line: JSON with one key twice is read differently by each reader, so that an error could
 * pass for an info. What is bound to the logger already is left out where it says the same; anything else keeps its value
 * under its name with an underscore.
 */
function apart(
  fields: object,
  bound: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const given = fields as Readonly<Record<string, unknown>>;
  const names = Object.keys(given);
  const isTaken = (name: string) => OF_THE_LINE.has(name) || Object.hasOwn(bound, name);
  if (!names.some(isTaken)) return given;
  const own: Record<string, unknown> = {};
  for (const name of names) {
    const value = given[name];
    if (Object.hasOwn(bound, name) && bound[name] === value) continue;
    let free = name;
    while (isTaken(free) || (free !== name && Object.hasOwn(given, free))) free += '_';
    own[free] = value;
  }
  return own;
}

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
function readable(json: string): string {
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

/** Escapes control characters, so that logged input cannot steer the reader's terminal. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '?');
}
