import { count } from '../../../time/words.ts';
import { Progress } from '../../../ui/progress.tsx';
import type { Checked } from './useCheck.ts';

/** So many rows are named, each with a link. */
const MOST_NAMED = 5;

/** How many rows would have their document, and which would not: before anything runs. */
export function Ready({
  checked: { result, isBusy, error },
  onRow,
}: {
  readonly checked: Checked;
  onRow(row: number): void;
}) {
  if (result === undefined)
    return (
      <span className="text-ink-2" role="status">
        {error === null ? 'Checking the rows…' : 'The rows were not checked.'}
      </span>
    );
  const { total, ready, failing, warned, rows } = result;
  const wanting = rows.filter(({ problems }) => problems.some(isError));
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <Progress
        parts={[
          { of: 'done', count: ready },
          { of: 'retrying', count: failing },
        ]}
        total={total}
        label={`${count(ready)} of ${count(total)} rows are ready`}
        width={160}
        className="h-1.75 w-40 max-md:w-24"
      />
      <span role="status">
        <b>{count(ready)}</b> ready
        {failing > 0 && (
          <>
            , <b>{count(failing)}</b> {failing === 1 ? 'needs' : 'need'} attention
          </>
        )}
        {warned > 0 && (
          <>
            , <b>{count(warned)}</b> with an empty field
          </>
        )}
        {isBusy && <span className="text-ink-3"> (checking again…)</span>}
      </span>
      {wanting.length > 0 && (
        <span>
          {wanting.length === 1 ? 'Row' : 'Rows'}{' '}
          {wanting.slice(0, MOST_NAMED).map(({ row }, index) => (
            <span key={row}>
              {index > 0 && ', '}
              <button
                type="button"
                aria-label={`Show row ${count(row)}`}
                onClick={() => onRow(row)}
                className="rounded-token font-medium text-link hover:underline max-md:min-h-6 max-md:min-w-6"
              >
                {count(row)}
              </button>
            </span>
          ))}
          {failing > MOST_NAMED && ` and ${count(failing - MOST_NAMED)} more`}
        </span>
      )}
    </div>
  );
}

function isError({ severity }: { readonly severity: 'error' | 'warning' }): boolean {
  return severity === 'error';
}
