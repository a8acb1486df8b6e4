import type { MetricTable } from '@millrace/workload-kit/contract';

export const metrics = {} as const satisfies MetricTable;
