import { useNow } from '../../../time/now.ts';
import { count, span } from '../../../time/words.ts';
import { Progress } from '../../../ui/progress.tsx';
import type { Job } from './job.ts';

/** How far, and how long it will take at the pace so far. */
export function JobProgress({ job }: { job: Job }) {
  const now = useNow();
  if (job.progress === null) return null;
  const { done, total, note } = job.progress;
  const words = total === undefined ? count(done) : `${count(done)} of ${count(total)}`;
  const ran = job.startedAt === null ? 0 : now - Date.parse(job.startedAt);
  const left =
    job.state === 'PROCESSING' && total !== undefined && done > 0 && done < total
      ? (ran / done) * (total - done)
      : null;
  const failed = job.state === 'FAILED' ? 1 : 0;
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-baseline gap-x-2">
        <h2>Progress</h2>
        <span className="text-ink-3">{words}</span>
        {note !== undefined && <span className="text-ink-3">{note}</span>}
        {left !== null && <span className="ml-auto text-ink-2">about {span(left)} left</span>}
      </div>
      {total !== undefined && (
        <Progress
          parts={[
            { of: 'done', count: done },
            { of: 'failed', count: failed && done < total ? 1 : 0 },
          ]}
          total={total}
          width={700}
          label={words}
          className="h-4"
        />
      )}
    </section>
  );
}
