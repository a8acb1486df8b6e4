import { useMay } from '../../../data/roles.ts';
import { count } from '../../../time/words.ts';
import { Trouble } from '../../../ui/trouble.tsx';
import { Pdf } from '../pdf/Pdf.tsx';
import { usePreview } from '../pdf/usePreview.ts';
import type { Batch, Item } from '../types.ts';
import { type FailedRow, recordOf } from './correct.ts';
import { PaneBody, PaneHead } from './Panes.tsx';

/** The page of a failed row as it would be with what was typed. */
export function CorrectedPage({
  batch,
  item,
  header,
  row,
  typed,
}: {
  readonly batch: Batch;
  readonly item: Item;
  readonly header: readonly string[];
  readonly row: FailedRow | undefined;
  readonly typed: ReadonlyMap<number, string> | undefined;
}) {
  const may = useMay('previewTemplate');
  const preview = usePreview(
    row === undefined || !may.allowed
      ? null
      : {
          template: batch.templateId,
          data: recordOf(header, row.cells, typed),
          locale: batch.locale,
          dataLocale: batch.dataLocale ?? batch.locale,
        },
  );
  const values = [...(typed?.values() ?? [])].filter((text) => text.length > 1);
  return (
    <>
      <PaneHead>
        <b>Row {count(item.item)}</b>
        <span className="text-ink-2">
          {(typed?.size ?? 0) > 0 ? 'with your correction' : 'as it is'}
        </span>
      </PaneHead>
      <PaneBody isBusy={preview.isBusy}>
        {may.why !== null && <p className="text-ink-2">{may.why}</p>}
        {preview.error !== null && (
          <div className="mb-3">
            <Trouble error={preview.error} />
          </div>
        )}
        <Pdf
          bytes={preview.error === null ? preview.bytes : null}
          name={`Row ${item.item}`}
          marks={values.map((text) => ({
            key: text,
            texts: [text],
            look: 'frame',
            tone: 'focus',
            label: text,
          }))}
        />
      </PaneBody>
    </>
  );
}
