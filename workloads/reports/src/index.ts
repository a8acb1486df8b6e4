export type * from './catalogue/types.ts';
export type * from './identity/types.ts';
export * from './job-data.ts';
export type { OutputChoice } from './output.ts';
export type * from './parameters/types.ts';
export type * from './rules/types.ts';
