export {
  type MemoryDatabase,
  type MemoryDatabaseOptions,
  type MemoryStore,
  createMemoryDatabase,
  createMemoryStore,
} from './database.ts';
export type { Outlook, Peek } from './peek.ts';
export { type Fence, leaseHolds } from './fence.ts';
