export { describeStoreContract } from './contract.ts';
export type { StoreHarness, StoreLimits } from './harness.ts';
export { newJob, only, times, together } from './build.ts';
export { expectBetween, expectRefused, value } from './observe.ts';
export { TEXTS } from './sections/reading/text.ts';
