import type { Org } from './org.ts';

export const DOCUMENT = 'Generated_Document__c';

/** Empty where the field is. */
export function text(record: Readonly<Record<string, unknown>>, field: string): string {
  const value = record[field];
  return typeof value === 'string' ? value : '';
}

/** The values of a text field, over all records that have one. */
export function values(org: Org, type: string, field: string): string[] {
  return org.org
    .records(type)
    .map((record) => text(record, field))
    .filter((value) => value !== '');
}

/** The fields of a record at the end, by names without their ending. Empty fields are left out. */
export function shown(org: Org, id: string): Record<string, unknown> {
  const record = org.org.record(id);
  if (record === null) return { deleted: true };
  const fields = [
    'Status',
    'Attempts',
    'ErrorCode',
    'LeaseToken',
    'LockedUntil',
    'ClaimId',
    'Suspect',
  ];
  return Object.fromEntries(
    fields.flatMap((name) => {
      const value = record[`${name}__c`] ?? null;
      return value === null || value === false ? [] : [[name, value]];
    }),
  );
}

export const SUCCEEDED = { Status: 'SUCCEEDED', Attempts: 0 };

/** Every file of the org: its name, and what it is linked to. */
export function files(org: Org): { name: string; parents: string[] }[] {
  return org.org.files().map(({ title, extension, parents }) => ({
    name: `${title}.${extension ?? ''}`,
    parents: [...parents].toSorted(),
  }));
}

/** A file that no record names, two records with one file, a name without a file: there should be none. */
export function strayFiles(org: Org): string[] {
  const named = [
    ...values(org, DOCUMENT, 'OutputFileId__c'),
    ...values(org, DOCUMENT, 'MergedDocxFileId__c'),
  ];
  const versions = org.org.files().map(({ versionId }) => versionId);
  const documents = values(org, 'ContentDocument', 'Id');
  const inUse = new Set(org.org.files().map(({ documentId }) => documentId));
  return [
    ...versions.filter((id) => !named.includes(id)).map((id) => `${id} is nobody's`),
    ...named
      .filter((id, index) => named.indexOf(id) !== index)
      .map((id) => `${id} is named by two records`),
    ...named.filter((id) => !versions.includes(id)).map((id) => `${id} is not there`),
    ...documents.filter((id) => !inUse.has(id)).map((id) => `${id} has no version`),
  ];
}
