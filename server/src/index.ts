export { createApp } from './app.ts';
export { systemClock } from './clock.ts';
export { type Config, ConfigError, readConfig } from './config.ts';
export type { AppParts } from './handler.ts';
export { type LoadedJobs, loadJobs } from './jobs-folder.ts';
export { createLog } from './log.ts';
export { webhookKind } from './webhook/kind.ts';
