import { Queue, QueueEvents } from 'bullmq';
const connection = { host: '127.0.0.1', port: 6391 };
const q = new Queue('greet', { connection, prefix: '{millrace}' });
const ev = new QueueEvents('greet', { connection, prefix: '{millrace}' });
await ev.waitUntilReady();
const seen = {}; for (const e of ['added','waiting','active','completed','failed','delayed','stalled','removed','duplicated','error']) ev.on(e, (x) => { seen[e] = (seen[e] ?? 0) + 1; });
const jobs = [];
jobs.push(await q.add('whatever', { name: 'Ada' }));
jobs.push(await q.add('greet', { name: 'Delay' }, { delay: 1500 }));
jobs.push(await q.add('greet', { name: 'Prio' }, { priority: 5 }));
jobs.push(await q.add('greet', { name: 'Own id' }, { jobId: 'my-own-id' }));
jobs.push(await q.add('greet', { name: 'Own id again' }, { jobId: 'my-own-id' }));
jobs.push(await q.add('greet', { nome: 'invalid' }));
jobs.push(await q.add('greet', { name: 'x', fail: true }, { attempts: 3, backoff: { type: 'fixed', delay: 200 } }));
jobs.push(await q.add('greet', { name: 'removeOnComplete' }, { removeOnComplete: true }));
jobs.push(await q.add('greet', { name: 'lifo' }, { lifo: true }));
jobs.push(...await q.addBulk(Array.from({ length: 50 }, (_, i) => ({ name: 'greet', data: { name: 'bulk' + i, ms: 5 } }))));
for (const j of jobs.slice(0, 9)) { try { console.log(j.id, JSON.stringify(j.data), await Promise.race([j.waitUntilFinished(ev, 6000), new Promise((_, r) => setTimeout(() => r(new Error('timeout6')), 6000))])); } catch (e) { console.log(j.id, JSON.stringify(j.data), 'ERR', e.message); } }
await new Promise(r => setTimeout(r, 2000));
console.log(seen, await q.getJobCounts());
for (const s of ['failed', 'delayed', 'waiting', 'active','prioritized']) for (const j of await q.getJobs([s])) console.log(s, j.id, j.data, j.failedReason, j.attemptsMade);
// hostile: job with huge data, circular names, weird ids
for (const [opts, data] of [[{ jobId: 'a b/ü' }, { name: 'ü' }], [{ jobId: 'x'.repeat(500) }, { name: 'long' }], [{}, 'a string'], [{}, null], [{}, [1,2]], [{ repeat: { every: 1000, limit: 2 } }, { name: 'repeat' }], [{ parent: undefined }, { name: '\u0000nul' }]]) {
  try { const j = await q.add('greet', data, opts); console.log('added', j.id.slice(0, 30)); } catch (e) { console.log('add refused', e.message.slice(0, 100)); }
}
await new Promise(r => setTimeout(r, 4000));
console.log(seen, await q.getJobCounts());
for (const s of ['failed', 'delayed', 'waiting', 'active','prioritized']) for (const j of await q.getJobs([s])) console.log(s, j.id.slice(0, 40), JSON.stringify(j.data)?.slice(0, 60), j.failedReason, j.attemptsMade);
await q.close(); await ev.close();
