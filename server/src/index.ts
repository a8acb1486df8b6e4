export { createApp } from './http/app.ts';
export { type Config, readConfig } from './config/config.ts';
export { ConfigError } from './config/error.ts';
export type { AppParts } from './http/handler.ts';
export { type LoadedJobs, loadJobs } from './jobs/folder.ts';
export { createLog } from './log/log.ts';
export { webhookKind } from './webhook/kind.ts';
