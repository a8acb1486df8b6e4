import { contract as documents } from '@millrace/documents/contract';
import { contract as pipelines } from '@millrace/pipelines/contract';
import { contract as queries } from '@millrace/queries/contract';
import { contract as reports } from '@millrace/reports/contract';

/** What the workloads of index.ts tell others, in one place. Safe in a browser. */
export const routes = {
  ...documents.routes,
  ...queries.routes,
  ...reports.routes,
  ...pipelines.routes,
};
export const groups = [
  ...documents.groups,
  ...queries.groups,
  ...reports.groups,
  ...pipelines.groups,
];
export const schemas = {
  asked: {
    ...documents.schemas.asked,
    ...queries.schemas.asked,
    ...reports.schemas.asked,
    ...pipelines.schemas.asked,
  },
  given: {
    ...documents.schemas.given,
    ...queries.schemas.given,
    ...reports.schemas.given,
    ...pipelines.schemas.given,
  },
};
export const errors = {
  ...documents.errors,
  ...queries.errors,
  ...reports.errors,
  ...pipelines.errors,
};
export const failures = {
  ...documents.failures,
  ...queries.failures,
  ...reports.failures,
  ...pipelines.failures,
};
export const metrics = {
  ...documents.metrics,
  ...queries.metrics,
  ...reports.metrics,
  ...pipelines.metrics,
};
export const topics = { ...queries.topics, ...reports.topics, ...pipelines.topics };
