export { createFaultyStore } from './world/faulty-store.ts';
export { INVARIANTS, type Invariant, type Violation } from './observe/invariants.ts';
export {
  type FaultCounts,
  type FaultRates,
  type Link,
  createFaultCounts,
  createLink,
} from './world/link.ts';
export { type Dice, createDice } from './random.ts';
export { type SimulationResult, simulate } from './simulation.ts';
export {
  Livelock,
  type ProcessClock,
  type Skew,
  type VirtualTime,
  createVirtualTime,
} from './time/virtual-clock.ts';
export type { Sabotage } from './world/world.ts';
