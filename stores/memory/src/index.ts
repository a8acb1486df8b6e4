export {
  type MemoryDatabase,
  type MemoryDatabaseOptions,
  createMemoryDatabase,
  createMemoryStore,
} from './database.ts';
export { type Fence, leaseHolds } from './lease.ts';
