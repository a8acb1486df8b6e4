import type { RouteName } from './contracts.ts';

/** App roles, the least first: each may do what those before it may. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** `anyone` is asked nothing; `signedIn` needs a good token and no role. */
export type Access = 'anyone' | 'signedIn' | Role;

/** Who may call what: the one table that the server, the documentation, the CLI and the console go by. */
export const ACCESS = {
  healthz: 'anyone',
  readyz: 'anyone',
  signIn: 'anyone',
  openapi: 'anyone',
  docs: 'anyone',

  me: 'signedIn',

  listJobs: 'viewer',
  getJob: 'viewer',
  explainJob: 'viewer',
  counts: 'viewer',
  events: 'viewer',
  listKinds: 'viewer',
  listSchedules: 'viewer',
  listTemplates: 'viewer',
  getTemplate: 'viewer',
  listTemplateVersions: 'viewer',
  downloadTemplate: 'viewer',
  listFiles: 'viewer',
  getFile: 'viewer',
  downloadFile: 'viewer',
  listBatches: 'viewer',
  getBatch: 'viewer',
  listBatchItems: 'viewer',
  downloadBatch: 'viewer',
  downloadFailed: 'viewer',
  downloadMerged: 'viewer',
  workerStatus: 'viewer',
  workerStats: 'viewer',

  enqueue: 'operator',
  enqueueBatch: 'operator',
  generate: 'operator',
  createBatch: 'operator',
  cancelBatch: 'operator',
  retryBatch: 'operator',
  correctBatch: 'operator',
  addTemplate: 'operator',
  deleteTemplate: 'operator',
  previewTemplate: 'operator',
  lintTemplate: 'operator',
  deleteFile: 'operator',
  cancelJob: 'operator',
  retryJob: 'operator',
  cancelJobs: 'operator',
  retryJobs: 'operator',
  pauseKind: 'operator',
  resumeKind: 'operator',
  stopWorker: 'operator',
  startWorker: 'operator',
  listAudit: 'operator',
  metrics: 'operator',

  eraseSubject: 'admin',
} as const satisfies Record<RouteName, Access>;

/** Whether someone with these roles may. */
export function allows(access: Access, roles: readonly string[]): boolean {
  if (access === 'anyone' || access === 'signedIn') return true;
  return ROLES.slice(ROLES.indexOf(access)).some((role) => roles.includes(role));
}
