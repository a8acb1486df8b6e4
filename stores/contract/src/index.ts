export { describeStoreContract } from './contract.ts';
export type { StoreHarness } from './harness.ts';
export { newJob } from './build.ts';
