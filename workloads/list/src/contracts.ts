import { contract as documents } from '@millrace/documents/contract';

/** What the workloads of index.ts tell others, in one place. Safe in a browser. */
export const routes = { ...documents.routes };
export const groups = [...documents.groups];
export const schemas = {
  asked: { ...documents.schemas.asked },
  given: { ...documents.schemas.given },
};
export const errors = { ...documents.errors };
export const failures = { ...documents.failures };
export const metrics = { ...documents.metrics };
