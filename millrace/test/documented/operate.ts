import type { Millrace } from 'millrace';
import { confirmOrder } from './orders.ts';

export async function operate(millrace: Millrace): Promise<string[]> {
  const { id } = await millrace.enqueue(
    confirmOrder,
    { article: 'chair' },
    { delay: '1h', key: 'order-7', priority: 10, tenant: 'acme' },
  );
  await millrace.enqueueAll(
    ['bench', 'table'].map((article) => ({ kind: confirmOrder, data: { article }, key: article })),
  );

  const job = await millrace.get(id); // state, data, result, error, attempt, executions …
  const { jobs } = await millrace.list({ filter: { kind: 'confirm-order', state: 'QUEUED' } });
  const { sentence } = await millrace.explain(id); // why it is not running, and until when
  await millrace.cancel(id);
  await millrace.retry(id);
  await millrace.pauseKind(confirmOrder, { by: 'Ada', reason: 'stocktaking' });
  await millrace.resumeKind(confirmOrder);

  const end = millrace.on('job.failed', ({ id: failed, error }) => {
    console.error(failed, error.code, error.message);
  });
  end();

  return [String(job?.state), String(jobs.length), sentence];
}
