import { contract as documents } from '@millrace/documents/contract';
import { contract as queries } from '@millrace/queries/contract';
import { contract as reports } from '@millrace/reports/contract';

/** What the workloads of index.ts tell others, in one place. Safe in a browser. */
export const routes = { ...documents.routes, ...queries.routes, ...reports.routes };
export const groups = [...documents.groups, ...queries.groups, ...reports.groups];
export const schemas = {
  asked: { ...documents.schemas.asked, ...queries.schemas.asked, ...reports.schemas.asked },
  given: { ...documents.schemas.given, ...queries.schemas.given, ...reports.schemas.given },
};
export const errors = { ...documents.errors, ...queries.errors, ...reports.errors };
export const failures = { ...documents.failures, ...queries.failures, ...reports.failures };
export const metrics = { ...documents.metrics, ...queries.metrics, ...reports.metrics };
export const topics = { ...queries.topics, ...reports.topics };
