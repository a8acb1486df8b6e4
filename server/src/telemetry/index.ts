/** The server's metrics and traces, for a worker in a process of one's own. */
export { traceStore } from './store.ts';
export { type TelemetryConfig, startTelemetry } from './telemetry.ts';
export type { Telemetry } from './types.ts';
