/**
 * Everyone who takes part. A contender is made by a function and has:
 *
 *   name, keeps             for the table; `share` of the jobs is enough for its rate (1), `writesWal` (true)
 *   open(urls), close()     { databaseUrl, redisUrl, redisAofUrl }
 *   reset()                 an empty queue in a fresh schema, connections warm
 *   enqueue(payloads)       through its own API, in the batches that suit it best
 *   run(n)                  starts its worker → { jobs, seconds } until n are confirmed complete; stops it
 *   pickup(count)           → milliseconds from enqueue to handler entry; left out where nothing waits
 *
 * Modules are loaded by the process that measures, one contender each.
 */
export const contenders = {
  millrace: async () => (await import('./millrace.mjs')).millrace(),
  graphile: async () => (await import('./graphile-worker.mjs')).graphileBatched(),
  graphileLarge: async () => (await import('./graphile-worker.mjs')).graphileLarge(),
  graphileDefaults: async () => (await import('./graphile-worker.mjs')).graphileDefaults(),
  pgBossLoop: async () => (await import('./pg-boss.mjs')).pgBossLoop(),
  pgBossWork: async () => (await import('./pg-boss.mjs')).pgBossWork(),
  bullmq: async () => (await import('./bullmq.mjs')).bullmqWithoutAof(),
  bullmqAof: async () => (await import('./bullmq.mjs')).bullmqWithAof(),
};

/** For `bullmq`: on the same Redis, which keeps an append-only file. */
export const onRedis = {
  millraceOnRedis: async () => (await import('./millrace.mjs')).millraceOnRedis(),
  bare: async () => (await import('./bullmq.mjs')).bullmqWithAof(),
  bareWithHistory: async () => (await import('./bullmq.mjs')).bullmqWithHistory(),
};
