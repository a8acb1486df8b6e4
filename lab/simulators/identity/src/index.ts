export type { FaultSpec } from './faults.ts';
export type { PrivateJwk } from './keys.ts';
export type { Api, Client, IdentityOptions, User } from './options.ts';
export { type Identity, startIdentity } from './server.ts';
export type { Requests } from './inside.ts';
