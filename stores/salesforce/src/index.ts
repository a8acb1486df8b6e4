export { type CheckOptions, checkOrg } from './check.ts';
export type { Check, Finding } from './finding.ts';
export { FILES, type FileToUpload, type FilesEffect, type Links, filesEffect } from './effects.ts';
export { RECORD_CODES } from './codes.ts';
export { FIELDS, FIELD_NAMES, type Field } from './fields.ts';
export type { NameOptions } from './names.ts';
export {
  type Interactive,
  type SalesforceStore,
  type SalesforceStoreOptions,
  createSalesforceStore,
} from './store.ts';
