export { createApp } from './http/app.ts';
export { type Config, ConfigError, readConfig } from './config/config.ts';
export type { AppParts } from './http/handler.ts';
export { type LoadedJobs, loadJobs } from './jobs/folder.ts';
export { createLog } from './log/log.ts';
export { webhookKind } from './webhook/kind.ts';
