import { DocumentError } from '../errors.ts';

export function notFound(idOrName: string, near?: string): DocumentError {
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return new DocumentError(
    'template_not_found',
    `There is no template "${idOrName}".${hint} Give the id of a version, such as tpl-7, or the name of a template.`,
  );
}

/** To a member, who has templates of their own. */
export function shared(name: string): DocumentError {
  return new DocumentError(
    'template_shared',
    `"${name}" is everybody's template: only an operator adds versions to it or removes it. Keep your own under another name.`,
  );
}

/** Of an id of Salesforce. It is written to the audit log: whoever tries ids tries to read files that are not templates. */
export function notInOrg(id: string): DocumentError {
  return new DocumentError(
    'template_not_found',
    `There is no template "${id}": no Docgen_Template__c names a version of that file, or it is not there.`,
    { auditTarget: id },
  );
}

export function inUse(idOrName: string, jobs: number, batches: number): DocumentError {
  return new DocumentError(
    'template_in_use',
    `"${idOrName}" is used by ${jobs} jobs and ${batches} batches that are not over. Cancel them, or wait for their end.`,
  );
}
