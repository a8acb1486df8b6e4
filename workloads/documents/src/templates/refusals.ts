import { DocumentError } from '../errors.ts';

export function notFound(idOrName: string, near?: string): DocumentError {
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return new DocumentError(
    'template_not_found',
    `There is no template "${idOrName}".${hint} Give the id of a version, such as tpl-7, or the name of a template.`,
  );
}

export function inUse(idOrName: string, jobs: number, batches: number): DocumentError {
  return new DocumentError(
    'template_in_use',
    `"${idOrName}" is used by ${jobs} jobs and ${batches} batches that are not over. Cancel them, or wait for their end.`,
  );
}
