import type { Client } from '@millrace/api';

export type Job = Awaited<ReturnType<Client['getJob']>>;
export type Execution = Job['executions'][number];
