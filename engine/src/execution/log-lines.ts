import type { JobId, LogLine } from '../job.ts';
import type { Log } from '../kinds/kind.ts';

/** Limits per execution: so many lines of so many characters, and of all of them no more than this with its record. */
const LINES = 200;
const LINE_LENGTH = 500;
const STORED_LENGTH = 20_000;

/** How a line is written for people; whoever runs the worker cuts out what nobody may see. */
export type WriteLine = (fields: object, message: string) => string;

/** The last lines of one execution, in memory. Made with the first line: most jobs log nothing. */
export class LogLines {
  private lines: LogLine[] = [];

  add(at: number, level: LogLine['level'], text: string, step?: LogLine['step']): void {
    const message = text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH - 1)}…` : text;
    // A surrogate pair may have been cut in two, which no store keeps.
    this.lines.push({ at, level, message: message.toWellFormed(), ...(step && { step }) });
    // Twice as many before the oldest go: not a copy for each line.
    if (this.lines.length >= 2 * LINES) this.lines = this.lines.slice(-LINES);
  }

  all(): readonly LogLine[] {
    return this.lines.slice(-LINES);
  }

  /** The newest that fit into the record. */
  stored(): readonly LogLine[] {
    const lines = this.all();
    let length = 0;
    let from = lines.length;
    while (from > 0 && length + (lines[from - 1]?.message.length ?? 0) <= STORED_LENGTH) {
      from -= 1;
      length += lines[from]?.message.length ?? 0;
    }
    return lines.slice(from);
  }
}

/** Writes to the process's own log, and to what is kept of the execution. A line that cannot be written is no failure of the job. */
export function keeping(
  log: Log,
  note: (level: LogLine['level'], text: string) => void,
  write: WriteLine,
): Log {
  const at =
    (level: LogLine['level']): Log['info'] =>
    (fields, message) => {
      log[level](fields, message);
      try {
        note(level, write(fields, message).replaceAll('\u0000', ''));
      } catch {
        // see above
      }
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

const JOBS = 500;
const CHARACTERS = 4_000_000;

/** The logs of executions that ended here lately. */
export interface LogBook {
  keep(id: JobId, lines: readonly LogLine[]): void;
  of(id: JobId): readonly LogLine[] | null;
}

export function createLogBook(): LogBook {
  const kept = new Map<JobId, { readonly lines: readonly LogLine[]; readonly size: number }>();
  let size = 0;
  function forget(id: JobId): void {
    size -= kept.get(id)?.size ?? 0;
    kept.delete(id);
  }
  return {
    keep(id, lines) {
      forget(id);
      const own = lines.reduce((sum, { message }) => sum + message.length, 0);
      kept.set(id, { lines, size: own });
      size += own;
      // In the order in which they were kept: the oldest go.
      for (const old of kept.keys()) {
        if (kept.size <= JOBS && size <= CHARACTERS) break;
        forget(old);
      }
    },
    of: (id) => kept.get(id)?.lines ?? null,
  };
}

export const plainLine: WriteLine = (fields, message) => {
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [message, ...shown].join(' ');
};
