import { type Place, TemplateError } from '../errors.ts';
import { fieldOfPath } from '../paths.ts';
import { writtenLike } from '../helpers/read-text.ts';
import { textOf } from './scope.ts';

/** How text is read, and the tag that asks. */
export interface Reading {
  /** Set for rows of a spreadsheet: text is read as this locale writes it. */
  readonly dataLocale?: string | undefined;
  readonly place?: Place | undefined;
}

/** A value, and the path where it stands if the template names one. */
export interface Found {
  readonly value: unknown;
  readonly at: string | undefined;
}

/** The field shows a reader of many rows where to look; only without one does the sentence need its tag. */
export function unread(
  what: 'number' | 'date',
  { value, at }: Found,
  { dataLocale, place }: Reading,
): TemplateError {
  const text = textOf(value);
  const noText = at === undefined ? 'The value' : 'the value';
  const shown = text === '' ? noText : `"${text.slice(0, 60)}"`;
  const tag = at === undefined && place !== undefined ? ` for ${place.snippet}` : '';
  const like =
    dataLocale === undefined
      ? `write it like ${what === 'number' ? '1234.5' : '2026-11-30'}`
      : `${dataLocale} writes ${writtenLike(dataLocale)[what]}`;
  return new TemplateError(
    'bad_value',
    ended(`${field(at)}${shown} cannot be read as a ${what}${tag}; ${like}`),
    { ...place, field: at === undefined ? undefined : fieldOfPath(at) },
  );
}

export function field(at: string | undefined): string {
  return at === undefined ? '' : `${at}: `;
}

/** Dates of Korea and Hungary end with a full stop of their own. */
function ended(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}
