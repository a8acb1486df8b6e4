import { type Logger, pino } from 'pino';
import { errorFields } from './error.ts';
import { apart } from './fields.ts';
import { createMask } from './mask.ts';
import { readable } from './readable.ts';
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
