import { type Duration, toMs } from '@millrace/engine';
import { z } from 'zod';

/** Environment variables as data, and what their values may be. Messages never repeat the value: it may be a secret. */

export type Variables = Readonly<Record<string, z.ZodType>>;

export interface Settings<Config> {
  readonly variables: Variables;
  /** The variable that switches the workload off with `false`. */
  readonly switch: string;
  /** Null where it is switched off. */
  read(values: Readonly<Record<string, unknown>>): Config | null;
  /** Values that are each right and do not go together, as sentences that begin with the variable. */
  contradictions?(values: Readonly<Record<string, unknown>>): readonly string[];
  /** What must never be seen in a log line. */
  secrets?(values: Readonly<Record<string, unknown>>): readonly string[];
}

/** `read` is given the values as `variables` makes them. */
export function settingsOf<Shape extends Record<string, z.ZodType>, Config>(params: {
  readonly variables: Shape;
  readonly switch: keyof Shape & string;
  read(values: ValuesOf<Shape>): Config | null;
  contradictions?(values: ValuesOf<Shape>): readonly string[];
  secrets?(values: ValuesOf<Shape>): readonly string[];
}): Settings<Config> {
  const { variables, contradictions, secrets } = params;
  const typed = (values: Readonly<Record<string, unknown>>) => values as ValuesOf<Shape>;
  return {
    variables,
    switch: params.switch,
    read: (values) => params.read(typed(values)),
    ...(contradictions && { contradictions: (values) => contradictions(typed(values)) }),
    ...(secrets && { secrets: (values) => secrets(typed(values)) }),
  };
}

type ValuesOf<Shape extends Record<string, z.ZodType>> = {
  readonly [Name in keyof Shape]: z.output<Shape[Name]>;
};

/** With a default, and a sentence for docs/configuration.md. */
export function setting<Schema extends z.ZodType>(
  schema: Schema,
  fallback: string,
  description: string,
) {
  return schema.prefault(fallback as z.input<Schema>).meta({ fallback, description });
}

export function unset<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().meta({ fallback: null, description });
}

export const text = z.string();

export const flag = z
  .enum(['true', 'false'], { error: 'Write true or false.' })
  .transform((value) => value === 'true');

const DURATION = /^\d+(\.\d+)?(ms|s|m|h|d)$/;
const FORMS = { error: 'Write a number with its unit, such as 500ms, 2s, 5m, 24h or 7d.' };
export const duration = z
  .union([z.number().min(0, FORMS), z.string().regex(DURATION, FORMS)], FORMS)
  .transform((value) => toMs(value as Duration));

/** A length of time that has to be long enough to mean something. */
export function time(atLeast: Duration) {
  return duration.refine((ms) => ms >= toMs(atLeast), { error: `Write at least ${atLeast}.` });
}

export function wholeNumber(least: number, most: number) {
  const error = `Write a whole number from ${least} to ${most}.`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error })
    .transform(Number)
    .refine((value) => value >= least && value <= most, { error });
}

export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `Write one of ${words.join(', ')}.` });
}

export const list = z.string().transform(entriesOf);

/** Separated by commas. */
export function entriesOf(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
