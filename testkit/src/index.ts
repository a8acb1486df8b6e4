export { createFaultyStore } from './faulty-store.ts';
export { INVARIANTS, type Invariant, type Violation } from './invariants.ts';
export {
  type FaultCounts,
  type FaultRates,
  type Link,
  createFaultCounts,
  createLink,
} from './link.ts';
export { type Dice, createDice } from './random.ts';
export { type SimulationResult, simulate } from './simulation.ts';
export {
  Livelock,
  type ProcessClock,
  type Skew,
  type VirtualTime,
  createVirtualTime,
} from './virtual-clock.ts';
export type { Sabotage } from './world.ts';
