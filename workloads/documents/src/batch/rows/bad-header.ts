import { DocumentError } from '../../document-error.ts';
import { ROW_LIMITS } from './row.ts';

export function tooWide(count: number): DocumentError {
  return badHeader(`has ${count} cells, and ${ROW_LIMITS.columns} are the most`);
}

export function badHeader(why: string): DocumentError {
  return new DocumentError(
    'invalid_rows',
    `The first row ${why}. It must name the fields, each once.`,
  );
}
