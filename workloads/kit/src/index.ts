export {
  AZURE_RESOURCES,
  type AzureIdentity,
  type AzureTokenParams,
  azureIdentityOf,
  createAzureTokens,
} from './azure-tokens.ts';
export type { Caller } from './caller.ts';
export * from './contract/index.ts';
export { TLS_MODES, certificates, postgresUrl } from './database-settings.ts';
export { defined } from './defined.ts';
export { type Checked, checkSchema, either, fields, oneOrMore, word } from './definitions/check.ts';
export { type Complain, small } from './definitions/complain.ts';
export { type DefinitionFolder, definitionFolder } from './definitions/folder.ts';
export {
  SERVICES,
  type ServiceIdentity,
  checkServices,
  claimName,
  claimValues,
} from './definitions/services.ts';
export type { Review } from './definitions/settle.ts';
export type * from './definitions/types.ts';
export { watchFolder } from './definitions/watch.ts';
export { type YamlText, readYaml } from './definitions/yaml.ts';
export { type Download, download, fileHeaders } from './download.ts';
export { type EndedJob, watchEndedJobs } from './ended-jobs.ts';
export { type Finding, diskFinding, existing, missing, there, unknown } from './finding.ts';
export * from './handler.ts';
export type { WorkloadBudget } from './budget.ts';
export * from './health.ts';
export { ImportRefused, type Imported, type Importer, importer, isExpired } from './import.ts';
export { iso, isoOrNull } from './moment.ts';
export { type Page, type PageParams, badCursor, numberCursor, page, pageLimit } from './pages.ts';
export { isoDateAt } from './parameters/calendar.ts';
export { givenOf, parametersOf } from './parameters/declare.ts';
export { formOf } from './parameters/form.ts';
export { givenFromJson, givenFromTexts } from './parameters/given.ts';
export { canonicalParameters, resolveParameters } from './parameters/resolve.ts';
export { wrongWith } from './parameters/static.ts';
export * from './parameters/types.ts';
export { edgesOf, readUnbound } from './parameters/values.ts';
export {
  type ParameterWords,
  givenWords,
  parameterName,
  parameterWords,
  scalarWords,
} from './parameters/words-of-file.ts';
export { type JsonSize, MOST_VALUES, jsonSize } from './json-size.ts';
export { type ByteRange, rangeOf } from './range.ts';
export { type Issue, Refusal } from './refusal.ts';
export { type Place, type Room, createRoom } from './room.ts';
export * from './scope.ts';
export {
  type SecretBox,
  type SecretKey,
  createSecretBox,
  parseSecretKeys,
  secretKeys,
} from './secret-box.ts';
export {
  type Settings,
  type Variables,
  duration as durationSetting,
  entriesOf,
  flag,
  list,
  oneOf,
  setting,
  settingsOf,
  text,
  time,
  unset,
  wholeNumber,
} from './settings.ts';
export * from './step.ts';
export { openStorage, storageFinding } from './storage/open.ts';
export {
  type StorageConfig,
  storageContradictions,
  storageOf,
  storageSecrets,
  storageVariables,
} from './storage/settings.ts';
export { lastWithin, withinTime } from './within-time.ts';
export * from './workload.ts';
