import {
  type FaultBoard,
  type FaultSpec as CommonSpec,
  type Faults,
  type Strikes,
  createFaults as createBoard,
} from '@millrace/simulator-kit';

const KINDS = {
  'jwks-down': 'The keys: 503.',
  'jwks-slow': 'The keys: no answer until the fault is taken away, so that a test needs no clock.',
  'jwks-garbage': 'The keys: 200 and half a JSON text.',
  'token-down': 'Tokens of every grant: 503.',
} as const;

export type FaultSpec = CommonSpec<keyof typeof KINDS>;
export type IdentityFaults = Faults<FaultSpec>;
export type IdentityFaultBoard = FaultBoard<FaultSpec>;
export type IdentityStrikes = Strikes<FaultSpec>;

export function createFaults(): IdentityFaultBoard {
  return createBoard<FaultSpec>({ kinds: KINDS, random: Math.random });
}
