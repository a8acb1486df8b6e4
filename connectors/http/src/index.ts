export { addressIn, trustedAddress } from './address.ts';
export { type Deadline, createDeadline } from './deadline.ts';
export {
  type Facts,
  HttpError,
  type Outcome,
  type Peer,
  type WireKind,
  createPeer,
  scrub,
} from './errors.ts';
export { type Gate, type Lane, createGate } from './gate.ts';
export { sendOnce } from './once.ts';
export { type Sleep, isTransient, pauseMs, retryAfterMs, sleep, withRetries } from './retry.ts';
export { type Answer, type Wire, type WireRequest, createWire, headerText } from './wire.ts';
