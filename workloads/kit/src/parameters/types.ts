/** What a parameter may be, in the words that a file uses. */
export const PARAMETER_TYPES = [
  'text',
  'whole number',
  'decimal',
  'date',
  'date range',
  'month',
  'boolean',
  'choice',
] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A parameter of a report or a pipeline, as its file declares it. */
export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly label: string;
  readonly help: string | null;
  /** It always has a value: someone's, or the default. */
  readonly required: boolean;
  /** As the file says it, such as `19` or `start of last month`; null: there is none. */
  readonly default: GivenValue;
  /** The least and the most: of a number or date; of a text its length. */
  readonly min: string | null;
  readonly max: string | null;
  /** The parameter whose value it may not be before, as `to` is not before `from`: nobody asks for the rows of no day. */
  readonly notBefore: string | null;
  /** Of the type `choice`, else none. */
  readonly choices: readonly Choice[];
  /** It takes several values. */
  readonly list: boolean;
  /** SQL on the source of the report: values to choose from, beside which others are taken too. */
  readonly suggest: string | null;
}

/** A value as someone gave it: words such as `yesterday` are not replaced by the day yet. Null: none, not even the default. */
export type GivenValue = string | readonly string[] | null;
export type GivenParameters = Readonly<Record<string, GivenValue>>;

/**
 * Values in their one way to be written: `2026-01-31`, `2026-01`, `2026-01-01..2026-01-31`, `19`, `1.5`, `true`. A list is sorted,
 * without repetitions. Null: none. Each parameter that is declared is there.
 */
export type ResolvedParameters = Readonly<Record<string, string | readonly string[] | null>>;

/** Which day is today: when, and on whose calendar. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly timeZone: string;
}

/** What is wrong with one parameter. */
export interface ParameterProblem {
  readonly parameter: string;
  readonly message: string;
}

/** A parameter as a form, a command line or a console asks for it. */
export interface ParameterField {
  readonly name: string;
  readonly type: ParameterType;
  readonly label: string;
  readonly help: string | null;
  /** Someone has to give it: there is no default. */
  readonly required: boolean;
  /** It may be left empty. */
  readonly canBeEmpty: boolean;
  readonly list: boolean;
  readonly choices: readonly Choice[];
  /** There are values to choose from, in the database. */
  readonly suggests: boolean;
  readonly min: string | null;
  readonly max: string | null;
  /** As the file says it. */
  readonly default: GivenValue;
  /** The default as it is today, such as `2026-01-01` for `start of month`. */
  readonly defaultNow: string | readonly string[] | null;
  /** On a command line, such as `--from 2026-01-31`. */
  readonly example: string;
}
