import { contract as documents } from '@millrace/documents/contract';
import { contract as pipelines } from '@millrace/pipelines/contract';
import { contract as queries } from '@millrace/queries/contract';

/** What the workloads of index.ts tell others, in one place. Safe in a browser. */
export const routes = { ...documents.routes, ...queries.routes, ...pipelines.routes };
export const groups = [...documents.groups, ...queries.groups, ...pipelines.groups];
export const schemas = {
  asked: { ...documents.schemas.asked, ...queries.schemas.asked, ...pipelines.schemas.asked },
  given: { ...documents.schemas.given, ...queries.schemas.given, ...pipelines.schemas.given },
};
export const errors = { ...documents.errors, ...queries.errors, ...pipelines.errors };
export const failures = { ...documents.failures, ...queries.failures, ...pipelines.failures };
export const metrics = { ...documents.metrics, ...queries.metrics, ...pipelines.metrics };
export const topics = { ...queries.topics, ...pipelines.topics };
