import { availableParallelism } from 'node:os';
import { type Threads, openThreads } from '@millrace/docx';

/**
 * Where templates are read and filled in: never on the thread that answers requests and renews leases. 44 kB of
 * XML can take gigabytes to read, and 5,000 sums over 20,000 rows 8 s to fill in; docs/decisions/0012 has the figures.
 */
export interface TemplateThreads extends Pick<Threads, 'lint' | 'check' | 'compile'> {
  close(): Promise<void>;
}

/** Uploads have a thread of their own: a flood of them never keeps documents of known templates from being made. */
const CHECKING = { size: 1, waiting: 16 };
/** With one alone, one large document would hold up all others. */
const MERGING = { size: Math.min(4, Math.max(2, availableParallelism())) };

export function openTemplateThreads(
  params: { cacheBytes?: number | undefined } = {},
): TemplateThreads {
  const { cacheBytes } = params;
  const checking = openThreads({ ...CHECKING, cacheBytes: 0 });
  const merging = openThreads({
    ...MERGING,
    ...(cacheBytes !== undefined && { cacheBytes: cacheBytes / MERGING.size }),
  });
  return {
    lint: checking.lint,
    check: checking.check,
    compile: merging.compile,
    async close() {
      await Promise.all([checking.close(), merging.close()]);
    },
  };
}
