import type { Group } from '@millrace/workload-kit/contract';
import { groups, routes } from '@millrace/workloads/contracts';
import { auditContracts } from './routes/audit.ts';
import { bulkContracts } from './routes/bulk.ts';
import { descriptionContracts } from './routes/description.ts';
import { enqueueContracts } from './routes/enqueue.ts';
import { errorGroupContracts } from './routes/error-groups.ts';
import { eventContracts } from './routes/events.ts';
import { familyContracts } from './routes/family.ts';
import { healthContracts } from './routes/health.ts';
import { identityContracts } from './routes/identity.ts';
import { installationContracts } from './routes/installation.ts';
import { jobContracts } from './routes/jobs.ts';
import { kindContracts } from './routes/kinds.ts';
import { overviewContracts } from './routes/overview.ts';
import { replicaContracts } from './routes/replicas.ts';
import { savedContracts } from './routes/saved.ts';
import { scheduleContracts } from './routes/schedules.ts';
import { workerContracts } from './routes/worker.ts';

/** Every route, by the name its client method and its handler have. */
export const contracts = {
  ...enqueueContracts,
  ...jobContracts,
  ...familyContracts,
  ...bulkContracts,
  ...kindContracts,
  ...scheduleContracts,
  ...routes,
  ...overviewContracts,
  ...errorGroupContracts,
  ...workerContracts,
  ...replicaContracts,
  ...eventContracts,
  ...auditContracts,
  ...savedContracts,
  ...identityContracts,
  ...installationContracts,
  ...healthContracts,
  ...descriptionContracts,
};

export type Contracts = typeof contracts;
export type RouteName = keyof Contracts;

/** The chapters of the documentation, in their order. */
export const GROUPS: readonly Group[] = [
  {
    name: 'Enqueue',
    about: 'A job is a kind and its data. The kind has to be public; its schema checks the data.',
    contracts: enqueueContracts,
  },
  {
    name: 'Jobs',
    about: 'Looking at jobs, and what an operator does with them: one by one or by filter.',
    contracts: { ...jobContracts, ...familyContracts },
  },
  {
    name: 'Bulk actions',
    about:
      'An action on many jobs: first its list of jobs is frozen, for review; then it runs as a job with progress.',
    contracts: bulkContracts,
  },
  {
    name: 'Kinds and schedules',
    about: 'What this process can run, what is held back, and what runs by the clock.',
    contracts: { ...kindContracts, ...scheduleContracts },
  },
  {
    name: 'Overview',
    about: 'How everything is and was, and what keeps jobs from succeeding.',
    contracts: { ...overviewContracts, ...errorGroupContracts },
  },
  ...groups,
  {
    name: 'Worker',
    about: 'The replica that answers, and what it knows of the others.',
    contracts: { ...workerContracts, ...replicaContracts },
  },
  {
    name: 'Live events',
    about: 'The present state and every change of it, as a stream.',
    contracts: eventContracts,
  },
  { name: 'Audit', about: 'Who did what, and to how many jobs.', contracts: auditContracts },
  {
    name: 'Saved',
    about: 'What people save for themselves: views of the jobs, and batches to do again.',
    contracts: savedContracts,
  },
  {
    name: 'Identity',
    about: 'Where tokens come from, and who you are.',
    contracts: identityContracts,
  },
  {
    name: 'Installation',
    about: 'Settings, tenants, and the simulators of a sandbox.',
    contracts: installationContracts,
  },
  { name: 'Health', about: 'For load balancers and probes.', contracts: healthContracts },
  {
    name: 'Description',
    about: 'This API for programs and people, and the figures of the service.',
    contracts: descriptionContracts,
  },
];
