export type { Calls } from './calls.ts';
export type { State } from './data/state.ts';
export type { Fault, FaultKind, FaultSpec, Faults } from './faults.ts';
export type { FileInside, Inside } from './inside.ts';
export type { ConnectedApp, SalesforceOptions, User } from './options.ts';
export type { PublishedEvent } from './org.ts';
export { packageObjects } from './package.ts';
export { type Salesforce, startSalesforce } from './server.ts';
