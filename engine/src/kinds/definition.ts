import { MillraceError } from '../errors.ts';

/**
 * Checks a definition (kind, rule, schedule, pool) where it is declared. A job file has many fields, so each error
 * names the owner, the field and what it may be. Job files may be JavaScript, so types are checked too.
 */
export interface Fields {
  /** Runs `read`; an error that it throws gets the owner and the field put before its message. */
  read<T>(field: string, read: () => T): T;
  /** `allowed` completes "Give it …". */
  require(field: string, isAllowed: boolean, allowed: string): void;
}

/** `owner` is such as `The kind "report"`. */
export function fieldsOf(owner: string): Fields {
  return {
    read(field, read) {
      try {
        return read();
      } catch (cause) {
        throw wrong(`${owner}, ${field}: ${cause instanceof Error ? cause.message : ''}`, cause);
      }
    },
    require(field, isAllowed, allowed) {
      if (!isAllowed) throw wrong(`${owner}, ${field}: this is not possible. Give it ${allowed}.`);
    },
  };
}

function wrong(message: string, cause?: unknown): MillraceError {
  const code = cause instanceof MillraceError ? cause.code : 'invalid_definition';
  return new MillraceError(code, message, { cause });
}

/** `"steps", "linear" or "exponential"`. */
export function either(words: readonly string[]): string {
  const quoted = words.map((word) => `"${word}"`);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`;
}
