import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useKeys } from '../../../shell/keys.ts';
import { useMay } from '../../../data/roles.ts';
import { count } from '../../../time/words.ts';
import { Button, IconButton, Kbd } from '../../../ui/button.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { Pdf } from '../pdf/Pdf.tsx';
import { Scroller } from '../pdf/Scroller.tsx';
import { usePreview } from '../pdf/usePreview.ts';
import type { RowProblem, TableRead } from '../types.ts';
import { type Mapping, dataOf } from './match.ts';

/** Any row as the PDF that the batch would make of it. */
export function RowPreview({
  template,
  mapping,
  rows,
  row,
  wanting,
  problems,
  locale,
  dataLocale,
  onRow,
}: {
  readonly template: string;
  readonly mapping: Mapping;
  readonly rows: TableRead['rows'];
  readonly row: number;
  /** Rows that somebody has to look at. */
  readonly wanting: readonly number[];
  /** The findings of the shown row: everything missing or invalid. */
  readonly problems: readonly RowProblem[];
  readonly locale: string;
  readonly dataLocale: string;
  onRow(row: number): void;
}) {
  const may = useMay('previewTemplate');
  const shown = rows[row - 1];
  const preview = usePreview(
    may.allowed && shown !== undefined
      ? { template, data: dataOf(mapping, shown.cells), locale, dataLocale }
      : null,
  );
  const nextRow = wanting.find((each) => each > row) ?? wanting[0];
  const goToNext = (): void => {
    if (nextRow !== undefined) onRow(nextRow);
  };
  useKeys({ g: goToNext });
  return (
    <aside
      aria-label="Preview"
      className="flex min-h-0 flex-col border-l border-line bg-canvas max-lg:border-t max-lg:border-l-0"
    >
      <header className="flex min-h-11 flex-none flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-1.5">
        <IconButton label="Previous row" disabled={row <= 1} onClick={() => onRow(row - 1)}>
          <ChevronLeft size={16} />
        </IconButton>
        <label className="flex items-center gap-1.5">
          <b>Row</b>
          <input
            type="number"
            min={1}
            max={rows.length}
            value={row}
            aria-label="Row to preview"
            onChange={(event) => {
              const next = event.target.valueAsNumber;
              if (next >= 1 && next <= rows.length) onRow(next);
            }}
            className="h-7 w-16 rounded-control border border-line-strong bg-raised px-1.5 max-md:h-9"
          />
          <span className="text-ink-2">of {count(rows.length)}</span>
        </label>
        <IconButton label="Next row" disabled={row >= rows.length} onClick={() => onRow(row + 1)}>
          <ChevronRight size={16} />
        </IconButton>
        <span className="flex-1" />
        <Button
          size="small"
          why={nextRow === undefined ? 'The rows have no problems.' : null}
          onClick={goToNext}
        >
          Next problem <Kbd>G</Kbd>
        </Button>
      </header>
      <Scroller label="Page of the row" isBusy={preview.isBusy}>
        {may.why !== null && <p className="text-ink-2">{may.why}</p>}
        {problems.length > 0 && (
          <ul
            aria-label={`Problems of row ${row}`}
            className={`mb-3 flex flex-col gap-1 rounded-control px-3 py-2 ${problems.some(({ severity }) => severity === 'error') ? 'bg-failed-tint text-failed' : 'bg-retrying-tint'}`}
          >
            {problems.map(({ message }) => (
              <li key={message} className="break-words">
                {message}
              </li>
            ))}
          </ul>
        )}
        {preview.error !== null && problems.length > 0 && (
          <p className="text-center text-ink-3">
            Row {row} has no page: correct it in the file, or run the others and correct it then.
          </p>
        )}
        {preview.error !== null && problems.length === 0 && (
          <div className="mb-3">
            <Trouble error={preview.error} />
          </div>
        )}
        <Pdf bytes={preview.error === null ? preview.bytes : null} name={`Row ${row}`} />
        {preview.bytes === null && preview.isBusy && (
          <p className="text-center text-ink-3">Making the document of row {row}…</p>
        )}
      </Scroller>
    </aside>
  );
}
