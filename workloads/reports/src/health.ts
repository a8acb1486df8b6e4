import type { SqlSource } from '@millrace/sql-source';
import type { HealthCheck } from '@millrace/workload-kit';

/** Health is asked every few seconds by whatever watches the process: the database is asked less often. */
const KEEP_MS = 10_000;
const ANSWER_WITHIN_MS = 3_000;

/** Whether the database of the reports answers. Everything else works without it, and its runs wait. */
export function sourceCheck(
  source: Pick<SqlSource, 'check'>,
  now: () => number = Date.now,
): HealthCheck {
  let last: { readonly at: number; readonly why: Promise<string | null> } | null = null;

  function asked(): Promise<string | null> {
    if (last === null || now() - last.at >= KEEP_MS) last = { at: now(), why: ask() };
    return last.why;
  }

  async function ask(): Promise<string | null> {
    try {
      await source.check();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  return {
    name: 'reports_source',
    async run(log) {
      const why = await within(ANSWER_WITHIN_MS, asked());
      if (why === null) return { status: 'ok' };
      log.warn({ why }, 'The database of the reports does not answer');
      return { status: 'degraded', detail: 'The database of the reports does not answer.' };
    },
  };
}

/** What takes longer than a check may is an answer too. */
async function within(ms: number, why: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`No answer within ${ms} ms.`), ms);
  });
  try {
    return await Promise.race([why, late]);
  } finally {
    clearTimeout(timer);
  }
}
