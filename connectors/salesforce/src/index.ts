export { type ErrorKind, type Outcome, SalesforceError } from './errors.ts';
export { id18, isId } from './records/ids.ts';
export { createSalesforce } from './salesforce.ts';
export { soqlText, soqlTime } from './records/soql.ts';
export type {
  ApexParams,
  Budget,
  CallOptions,
  CallReport,
  ClientCredentialsAuth,
  CollectionOptions,
  Collections,
  FileStream,
  GraphAnswer,
  JwtAuth,
  Listening,
  ListenParams,
  Log,
  Method,
  RequestParams,
  RowAnswer,
  RowError,
  Salesforce,
  SalesforceConfig,
  SalesforceParts,
  SalesforceRecord,
  Stats,
  Subrequest,
  SubResponse,
  UploadFile,
  WriteOptions,
} from './types.ts';
