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
  /**
   * Refuses fields that are not in the table: a misspelt `retry` would leave the default in force without a word.
   * `inside` is the field that `given` is the value of, if any.
   */
  known<T extends object>(given: T, table: FieldTable<T>, inside?: string): void;
}

/** Every field of T: the compiler asks for a new one. */
export type FieldTable<T extends object> = Readonly<Record<keyof T, true>>;

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
    known(given, table, inside) {
      const names = Object.keys(table);
      const strange = Object.keys(given).find((field) => !names.includes(field));
      if (strange === undefined) return;
      const field = inside === undefined ? strange : `${inside}.${strange}`;
      const meant = meantBy(strange, names);
      const help = meant === null ? `There are ${names.join(', ')}.` : `Did you mean "${meant}"?`;
      throw wrong(`${owner}, ${field}: there is no such field. ${help}`);
    },
  };
}

/** The name that begins like the misspelt one for longest: most slips come after the second letter. */
function meantBy(word: string, names: readonly string[]): string | null {
  const sharedStart = (name: string): number => {
    let length = 0;
    while (length < name.length && name[length] === word[length]) length += 1;
    return length;
  };
  const [best] = names.toSorted((a, b) => sharedStart(b) - sharedStart(a));
  return best !== undefined && sharedStart(best) >= 2 ? best : null;
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
