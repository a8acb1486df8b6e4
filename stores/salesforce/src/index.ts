export { type CheckOptions, checkOrg } from './check.ts';
export type { Check, Finding } from './finding.ts';
export {
  FILES,
  type FileToUpload,
  type FilesEffect,
  type Links,
  filesEffect,
} from './settling/effects.ts';
export { RECORD_CODES } from './records/codes.ts';
export { FIELDS, FIELD_NAMES, type Field } from './records/fields.ts';
export type { NameOptions } from './records/names.ts';
export {
  type Interactive,
  type SalesforceStore,
  type SalesforceStoreOptions,
  type ShownLease,
  createSalesforceStore,
} from './store.ts';
