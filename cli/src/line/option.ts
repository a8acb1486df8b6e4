import { type JobState, anyMoment, duration, jobState } from '@millrace/api';
import { nearest } from '@millrace/api';
import { durationMs } from '../render/time.ts';
import { UsageError } from './usage-error.ts';

/** An option as data: the parser, the help and the documentation read it. */
export interface Option<Value = unknown> {
  /** The word for its value in the help, such as N; null: a flag. */
  readonly value: string | null;
  readonly short?: string;
  readonly summary: string;
  /** Throws a UsageError whose sentence follows the option's name. */
  parse(text: string): Value;
}

export type Options = Readonly<Record<string, Option>>;

/** The given options; absent ones, flags too, are missing. */
export type Values<O extends Options> = {
  readonly [Name in keyof O]?: ReturnType<O[Name]['parse']>;
};

export function flag(summary: string, short?: string): Option<true> {
  return { value: null, summary, ...(short !== undefined && { short }), parse: () => true };
}

export function text(value: string, summary: string, short?: string): Option<string> {
  return {
    value,
    summary,
    ...(short !== undefined && { short }),
    parse(given) {
      if (given === '') throw new UsageError('needs a value.');
      return given;
    },
  };
}

/** A tenant may be empty: it is the only one there is. */
export function anyText(value: string, summary: string): Option<string> {
  return { value, summary, parse: (given) => given };
}

/** One of a few words, in any case. */
export function choice<const Word extends string>(
  words: readonly Word[],
  summary: string,
): Option<Word> {
  return {
    value: words.join('|'),
    summary,
    parse(given) {
      const found = words.find((word) => word === given.toLowerCase());
      if (found !== undefined) return found;
      throw new UsageError(`takes ${words.join(' or ')}, not "${given}".`);
    },
  };
}

export function wholeNumber(value: string, summary: string, least = -Infinity): Option<number> {
  return {
    value,
    summary,
    parse(given) {
      const number = Number(given);
      if (/^[+-]?\d{1,15}$/.test(given) && number >= least) return number;
      const bound = least === -Infinity ? '' : ` from ${least} up`;
      throw new UsageError(`takes a whole number${bound}, not "${given}".`);
    },
  };
}

/** As the API takes it: "90s", "15m". */
export function span(summary: string, value = 'TIME'): Option<string> {
  return {
    value,
    summary,
    parse(given) {
      if (duration.safeParse(given).success) return given;
      throw new UsageError(
        `takes a number with a unit, such as 90s, 15m, 2h or 7d, not "${given}".`,
      );
    },
  };
}

export function moment(summary: string): Option<string> {
  return {
    value: 'ISO',
    summary,
    parse(given) {
      if (anyMoment.safeParse(given).success) return given;
      throw new UsageError(`takes a time such as 2026-01-31T09:30:00Z, not "${given}".`);
    },
  };
}

/** A length of time back from now, or a moment; gives the moment. */
export function past(summary: string): Option<(now: number) => string> {
  return {
    value: 'TIME',
    summary,
    parse(given) {
      if (anyMoment.safeParse(given).success) return () => given;
      const ms = durationMs(given);
      if (ms !== null) return (now) => new Date(now - ms).toISOString();
      throw new UsageError(
        `takes a length of time such as 1h, or a time such as 2026-01-31T09:30:00Z, not "${given}".`,
      );
    },
  };
}

export function state(summary: string): Option<JobState> {
  return {
    value: 'STATE',
    summary,
    parse(given) {
      const parsed = jobState.safeParse(given.toUpperCase());
      if (parsed.success) return parsed.data;
      const meant = nearest(given, jobState.options);
      const hint =
        meant === null ? `one of ${jobState.options.join(', ')}` : `did you mean ${meant}?`;
      throw new UsageError(`does not know "${given}": ${hint}`);
    },
  };
}
