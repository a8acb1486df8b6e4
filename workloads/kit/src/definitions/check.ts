import { z } from 'zod';
import { nearest } from '../contract/nearest.ts';
import type { Complaint, FilePath } from './types.ts';

export type Checked<Value> =
  | { readonly value: Value }
  | { readonly complaints: readonly Complaint[] };

/** What a file says, held against a schema: the value that the schema makes of it, or all that is wrong. */
export function checkSchema<Value>(schema: z.ZodType<Value>, value: unknown): Checked<Value> {
  const parsed = schema.safeParse(value, { error: sentenceOf });
  if (parsed.success) return { value: parsed.data };
  return { complaints: parsed.error.issues.flatMap((issue) => complaintsOf(issue, [])) };
}

/**
 * An object of a file: each field of another name is refused with the one that was probably meant. One line of the message
 * for each strange key, as `complaintsOf` takes them apart.
 */
export function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownField(key, names)).join('\n')
        : undefined,
  });
}

function unknownField(field: string, names: readonly string[]): string {
  const meant = nearest(field, names);
  return meant === null
    ? `there is no such field. There are ${names.join(', ')}.`
    : `there is no such field. Did you mean "${meant}"?`;
}

/** One of several words; another gets the nearest of them. `meant`: what people write for it elsewhere. */
export function word<const Words extends readonly [string, ...string[]]>(
  words: Words,
  meant: Readonly<Record<string, Words[number]>> = {},
) {
  return z.enum(words, {
    error: ({ input }) => {
      if (input === undefined) return undefined;
      const given = typeof input === 'string' ? input.trim() : '';
      const near = Object.hasOwn(meant, given.toLowerCase())
        ? (meant[given.toLowerCase()] ?? null)
        : nearest(given, words);
      return near === null || given === ''
        ? `write ${either(words)}.`
        : `there is no "${given}" here. Did you mean "${near}"?`;
    },
  });
}

/**
 * One of it, or a list of several: a file need not write brackets around a single one. `wanted` completes "Write …" where it
 * is missing.
 */
export function oneOrMore<Schema extends z.ZodType>(schema: Schema, wanted?: string) {
  return z.preprocess(
    (value) => (Array.isArray(value) || value === undefined || value === null ? value : [value]),
    z
      .array(schema, {
        error: ({ input }) =>
          input === undefined && wanted !== undefined
            ? `this is missing. Write ${wanted}.`
            : undefined,
      })
      .min(1, { error: 'the list is empty. Name one, or leave the field out.' }),
  );
}

/** `a, b or c`. */
export function either(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

function complaintsOf(issue: z.core.$ZodIssue, before: FilePath): Complaint[] {
  const path = [
    ...before,
    ...issue.path.map((step) => (typeof step === 'number' ? step : String(step))),
  ];
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => ({
      path: [...path, key],
      message: messages[index] ?? issue.message,
      atKey: true,
    }));
  }
  if (issue.code === 'invalid_key')
    return [{ path, message: issue.issues[0]?.message ?? issue.message, atKey: true }];
  if (issue.code === 'invalid_union') {
    const branch = nearestBranch(issue.errors);
    if (branch !== null) return branch.flatMap((each) => complaintsOf(each, path));
  }
  return [{ path, message: issue.message }];
}

/** The form of a union that the value was probably meant to have: the right type, and the fewest problems. */
function nearestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]) {
  const ofType = branches.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  const [best] = ofType.toSorted((a, b) => a.length - b.length);
  return best ?? null;
}

/** What Zod found, for someone who writes a file and knows nothing of Zod. Schemas with words of their own come first. */
function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  if (issue.code === 'invalid_type') {
    const wanted = WANTED[issue.expected] ?? `a ${issue.expected}`;
    if (input === undefined) return `this is missing. Write ${wanted}.`;
    if (input === null) return `this is empty. Write ${wanted}, or leave the field out.`;
    return `write ${wanted}.${misreadHint(issue.expected, input)}`;
  }
  if (issue.code === 'invalid_value') {
    if (input === undefined) return `this is missing. Write ${either(issue.values.map(String))}.`;
    return `write ${either(issue.values.map(String))}.`;
  }
  if (issue.code === 'too_small' || issue.code === 'too_big') {
    const isLeast = issue.code === 'too_small';
    const limit = Number(isLeast ? issue.minimum : issue.maximum);
    const bound = `at ${isLeast ? 'least' : 'most'} ${limit}`;
    if (issue.origin === 'string')
      return isLeast && limit === 1 ? 'this is empty.' : `write ${bound} characters.`;
    if (issue.origin === 'array') return `name ${bound}.`;
    return `write a number of ${bound}.`;
  }
  if (issue.code === 'invalid_union') return 'this has none of the forms that it may have.';
  return undefined;
}

const WANTED: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list, such as [a, b]',
  object: 'fields and their values, such as name: value',
  record: 'names and their values, such as name: value',
};

function misreadHint(expected: string, input: unknown): string {
  if (expected === 'boolean' && typeof input === 'string')
    return ` "${input}" is a text in YAML 1.2.`;
  if (expected === 'string' && (typeof input === 'number' || typeof input === 'boolean'))
    return ` ${String(input)} is read as a ${typeof input}: put quotes around it.`;
  if (expected === 'number' && typeof input === 'string') return ` "${input}" is a text.`;
  return '';
}
