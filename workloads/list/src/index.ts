import { documents } from '@millrace/documents';
import { pipelines } from '@millrace/pipelines';
import { queries } from '@millrace/queries';
import { reports } from '@millrace/reports';
import type { Workload } from '@millrace/workload-kit';

/**
 * The workloads that ship. A new one is added here and in contracts.ts; the server goes through the list. Pipelines come
 * last: their files are held against the steps of those that are open by then.
 */
export const workloads: readonly Workload[] = [documents, queries, reports, pipelines];
