export { type CheckOptions, checkOrg } from './check.ts';
export type { Check, Finding } from './finding.ts';
export {
  FILES,
  type FileToUpload,
  type FilesEffect,
  type Links,
  filesEffect,
} from './settling/effects.ts';
export { FIELD_NAMES, type Field, type NameOptions } from './records/names.ts';
export {
  type Interactive,
  type SalesforceStore,
  type SalesforceStoreOptions,
  createSalesforceStore,
} from './store.ts';
