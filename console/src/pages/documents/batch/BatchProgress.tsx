import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useApi } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { useNow } from '../../../time/now.ts';
import { Time } from '../../../time/Time.tsx';
import { count, span } from '../../../time/words.ts';
import { StateIcon, type Phase } from '../../../ui/state.tsx';
import { isOver } from '../things.ts';
import type { Batch } from '../types.ts';
import { type CellState, cellsOf, leftMs } from './cells.ts';

const FILLS: Readonly<Record<CellState, string>> = {
  failed: 'bg-failed-fill',
  running: 'hatched-running',
  done: 'bg-water-1',
  canceled: 'hatched-canceled',
  waiting: 'bg-press',
};
const WORDS: Readonly<Record<CellState, string>> = {
  failed: 'with a failed row',
  running: 'running',
  done: 'made',
  canceled: 'canceled',
  waiting: 'waiting',
};
const MOST_CELLS = 96;

/** The figure, the states, and groups of rows as cells: failed ones are seen where they are. */
export function BatchProgress({ batch }: { batch: Batch }) {
  const { counts, total } = batch;
  const known = useKnownItems(batch);
  const navigate = useNavigate();
  const cells = cellsOf(batch, known, MOST_CELLS);
  const middle = cells[Math.floor(cells.length / 2)];
  return (
    <section
      aria-label="Progress"
      className="flex-none border-b border-line px-6 pt-4 pb-3 max-md:px-4"
    >
      <div className="flex flex-wrap items-baseline gap-x-8 gap-y-1">
        <p>
          <b className="text-figure">{count(counts.succeeded)}</b>{' '}
          <span className="text-ink-2">of {count(total)} made</span>
        </p>
        <Figure phase="running" word="Running" value={counts.running} />
        <Figure phase="queued" word="Waiting" value={counts.pending} />
        <Figure phase="failed" word="Failed" value={counts.failed} />
        {counts.canceled > 0 && <Figure phase="canceled" word="Canceled" value={counts.canceled} />}
        {counts.warned > 0 && (
          <Figure phase="retrying" word="With a warning" value={counts.warned} />
        )}
        <Left batch={batch} />
      </div>
      <div
        className="mt-3 grid auto-rows-[18px] grid-cols-[repeat(auto-fit,minmax(10px,1fr))] gap-0.5"
        role="img"
        aria-label={`${count(counts.succeeded)} of ${count(total)} rows made, ${count(counts.failed)} failed, ${count(counts.pending)} waiting`}
      >
        {cells.map(({ first, last, state }) => (
          <i
            key={first}
            title={`${first === last ? `Row ${count(first)}` : `Rows ${count(first)} to ${count(last)}`}, ${WORDS[state]}`}
            onClick={
              state === 'failed'
                ? () => {
                    const row = known.find(
                      ({ item, state: of }) => of === 'FAILED' && item >= first && item <= last,
                    );
                    void navigate({
                      to: '/documents/batches/$id',
                      params: { id: batch.id },
                      search: { row: row?.item },
                    });
                  }
                : undefined
            }
            className={`rounded-[2px] ${FILLS[state]}`}
          />
        ))}
      </div>
      <p className="mt-1 flex justify-between text-axis text-ink-3" aria-hidden="true">
        <span>Row 1</span>
        {middle !== undefined && total > 2 && <span>{count(middle.first)}</span>}
        <span>{total > 1 && count(total)}</span>
      </p>
    </section>
  );
}

function Figure({ phase, word, value }: { phase: Phase; word: string; value: number }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 ${phase === 'failed' && value > 0 ? 'text-failed' : 'text-ink-2'}`}
    >
      <StateIcon phase={phase} />
      {word} <b className={phase === 'failed' && value > 0 ? '' : 'text-ink'}>{count(value)}</b>
    </span>
  );
}

function Left({ batch }: { batch: Batch }) {
  const now = useNow();
  if (isOver(batch))
    return (
      <span className="ml-auto text-ink-2 max-md:ml-0">
        {batch.finishedAt !== null && (
          <>
            finished <Time at={batch.finishedAt} />,{' '}
          </>
        )}
        expires <Time at={batch.expiresAt} />
      </span>
    );
  const left = leftMs(batch, now);
  if (left === null) return null;
  return (
    <span className="ml-auto max-md:ml-0">
      <b className="text-figure-2">{span(left.ms)}</b>{' '}
      <span className="text-ink-2">left, at {left.perSecond.toFixed(1)} a second</span>
    </span>
  );
}

/** Where the failed and the running rows are: the first two hundred of each. */
function useKnownItems({ id, counts }: Batch) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: [...keys.batch(id), 'known', counts],
    queryFn: async () => {
      const of = (state: 'FAILED' | 'RUNNING') =>
        api.listBatchItems({ params: { id }, query: { state, limit: 200 } });
      const none = { items: [] };
      const [failed, running] = await Promise.all([
        counts.failed > 0 ? of('FAILED') : none,
        counts.running > 0 ? of('RUNNING') : none,
      ]);
      return [...failed.items, ...running.items];
    },
    placeholderData: (before) => before,
  });
  return data ?? [];
}
