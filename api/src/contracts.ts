import { enqueueContracts } from './routes/enqueue.ts';
import { healthContracts } from './routes/health.ts';
import { jobContracts } from './routes/jobs.ts';
import { kindContracts } from './routes/kinds.ts';
import { workerContracts } from './routes/worker.ts';

/** Every route, by the name its client method and its handler have. */
export const contracts = {
  ...enqueueContracts,
  ...jobContracts,
  ...kindContracts,
  ...workerContracts,
  ...healthContracts,
};

export type Contracts = typeof contracts;
export type RouteName = keyof Contracts;
