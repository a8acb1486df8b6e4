export { type RedisAnswer, checkRedis } from './check.ts';
export type { ConnectOptions } from './connect.ts';
export { kindOf, queueOf } from './names.ts';
export { type BullStore, type BullStoreOptions, openBullStore } from './store.ts';
