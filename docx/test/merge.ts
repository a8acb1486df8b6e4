import { expect } from 'vitest';
import { type MergeOptions, TemplateError, compile } from '../src/index.ts';
import { docx } from './builder.ts';
import { faults, textLines } from './read.ts';

/** Merges a document of this body; the result must be one that nobody has to repair. */
export function mergedFile(body: string, data: unknown, options?: MergeOptions): Uint8Array {
  const output = compile(docx(body)).merge(data, options);
  expect(faults(output)).toEqual([]);
  return output;
}

export function merged(body: string, data: unknown, options?: MergeOptions): string[] {
  return textLines(mergedFile(body, data, options));
}

/** The error that a template is refused with. */
export function refusal(body: string): TemplateError {
  try {
    compile(docx(body));
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('It compiled.');
}

export function rows(count: number): { N: string; V: number }[] {
  return Array.from({ length: count }, (_, i) => ({ N: `n${i}`, V: i }));
}
