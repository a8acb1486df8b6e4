export { type ErrorKind, type Outcome, MarketingCloudError } from './errors.ts';
export { createMarketingCloud } from './marketing-cloud.ts';
export type {
  BusinessUnit,
  CallOptions,
  CallReport,
  DataExtension,
  Field,
  FieldType,
  Folder,
  Log,
  MarketingCloud,
  MarketingCloudConfig,
  MarketingCloudParts,
  NewDataExtension,
  NewQuery,
  QueryDefinition,
  RowPage,
  Stats,
  TaskStatus,
  Validation,
} from './types.ts';
