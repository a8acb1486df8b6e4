export type { Calls } from './calls.ts';
export type {
  DataExtension,
  NewDataExtension,
  QueryDefinition,
  Row,
  Task,
  TaskStatus,
} from './data/account.ts';
export type { FieldSpec, FieldType } from './data/fields.ts';
export type { Fault, FaultKind, FaultSpec, Faults } from './faults.ts';
export type { UnitInside } from './inside.ts';
export type { Client, Duration, MarketingCloudOptions, UnitSpec } from './options.ts';
export { type MarketingCloud, startMarketingCloud } from './server.ts';
export { QueryError, type RunSql, type SqlAnswer, type SqlRequest } from './sql/run-sql.ts';
