import { type Logger, pino } from 'pino';
import { readable } from './readable.ts';
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
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
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
}

function destination(): (line: string) => void {
  const stdout = pino.destination(1);
  return (line) => stdout.write(line);
}
