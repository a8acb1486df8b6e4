import { Link, useSearch } from '@tanstack/react-router';
import { count } from '../../../time/words.ts';
import type { Batch } from '../types.ts';
import { FailedRows } from './FailedRows.tsx';
import { MadeRows } from './MadeRows.tsx';

/** The failed rows where there are any; else all of them. */
export function Rows({ batch }: { batch: Batch }) {
  const { show = batch.counts.failed > 0 ? 'failed' : 'all' } = useSearch({
    from: '/shell/documents/batches/$id',
  });
  const tabs = [
    { tab: 'failed', word: 'Failed rows', value: batch.counts.failed },
    { tab: 'all', word: 'All rows', value: batch.total },
  ] as const;
  return (
    <>
      <nav aria-label="Rows" className="flex flex-none gap-6 border-b border-line px-6 max-md:px-4">
        {tabs.map(({ tab, word, value }) => (
          <Link
            key={tab}
            to="/documents/batches/$id"
            params={{ id: batch.id }}
            search={{ show: tab }}
            aria-current={tab === show ? 'page' : undefined}
            className="flex h-10 items-center gap-1.5 text-ink-2 hover:text-ink aria-[current=page]:font-[550] aria-[current=page]:text-ink aria-[current=page]:shadow-[inset_0_-2px_0_var(--link)]"
          >
            {word} <span className="font-normal text-ink-3">{count(value)}</span>
          </Link>
        ))}
      </nav>
      {show === 'failed' ? <FailedRows batch={batch} /> : <MadeRows batch={batch} />}
    </>
  );
}
