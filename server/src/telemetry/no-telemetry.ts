import type { Telemetry } from './types.ts';

/** Telemetry that is off: what it is asked to run, it runs. */
export const noTelemetry: Telemetry = {
  tracing: undefined,
  current: () => undefined,
  call: (_what, run) => run(),
  request: () => ({ inside: (run) => run(), end() {} }),
  watch() {},
  observe() {},
  count() {},
  record() {},
  setGauge() {},
  scrape: () => Promise.resolve(''),
  stop: () => Promise.resolve(),
};
