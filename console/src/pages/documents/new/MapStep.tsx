import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowRight, FileText, Table2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useMay } from '../../../data/roles.ts';
import { type Saved, wrongName } from '../../../data/saved.ts';
import { count, plural } from '../../../time/words.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { type SavedBatch, columnsOf, doAgain } from '../again/again.ts';
import { Changed } from '../again/Changed.tsx';
import type { TemplateAnswer } from '../types.ts';
import type { Sheet } from './ChooseFiles.tsx';
import { type Draft, type KeptDraft, byName, takenUp } from './draft.ts';
import { MapRows, isUndecided } from './MapRows.tsx';
import { type Filling, type Mapping, autoMatch, fieldsOf, gapsOf } from './match.ts';
import { Output, type OutputChoice } from './Output.tsx';
import { RowPreview } from './RowPreview.tsx';
import { useRun } from './useRun.ts';

/** Columns to fields at the left, a row as PDF at the right, and below how many rows are ready. */
export function MapStep({
  sheet,
  answer: { template, lint },
  again,
  last,
  draft,
  kept,
  dataLocale,
  onDataLocale,
  onBack,
}: {
  readonly sheet: Sheet;
  readonly answer: TemplateAnswer;
  /** The batch that is done again, with all that was decided then. */
  readonly again: Saved<SavedBatch> | null;
  /** The last one with this template: only its columns are taken over. */
  readonly last: SavedBatch | null;
  readonly draft: Draft;
  /** What was decided before this step was left, or before a reload. */
  readonly kept: KeptDraft | null;
  readonly dataLocale: string;
  onDataLocale(locale: string): void;
  onBack(): void;
}) {
  const { table } = sheet;
  const search = useSearch({ from: '/shell/documents/new' });
  const ran = draft.ran();
  const fields = fieldsOf(lint);
  const columns = useMemo(() => table.columns.map(({ name }) => name), [table]);
  const [begun] = useState(() => {
    if (again !== null) {
      const done = doAgain(again.value, { fields, columns, version: template.version });
      return kept === null ? done : { ...done, mapping: takenUp(kept, fields, columns) };
    }
    const before = last === null ? {} : columnsOf(last);
    const mapping =
      kept === null ? autoMatch(fields, columns, before) : takenUp(kept, fields, columns);
    return { mapping, changes: null };
  });
  const [mapping, setMapping] = useState<Mapping>(begun.mapping);
  const [output, setOutput] = useState<OutputChoice>(
    kept?.output ??
      again?.value.output ?? {
        name: `${template.name} {{@number}}`,
        locale: dataLocale,
        format: 'PDF',
        gaps: 'hold',
      },
  );
  const [saveAs, setSaveAs] = useState(kept?.saveAs ?? again?.name ?? template.name);
  useEffect(
    () =>
      draft.keep({
        template: search.template ?? template.name,
        again: search.again ?? null,
        file: sheet.file.name,
        columns,
        filled: byName(mapping, columns),
        output,
        dataLocale,
        saveAs,
      }),
    [
      draft,
      template,
      search.template,
      search.again,
      sheet,
      columns,
      mapping,
      output,
      dataLocale,
      saveAs,
    ],
  );
  const navigate = useNavigate();
  const gaps = gapsOf(fields, mapping, table.rows);
  const perField = new Map<string, number>();
  for (const { fields: empty } of gaps)
    for (const path of empty) perField.set(path, (perField.get(path) ?? 0) + 1);
  const undecided = fields.filter((field) => isUndecided(field, mapping, new Map()));
  const row = Math.min(search.row ?? gaps[0]?.row ?? 1, Math.max(table.rows.length, 1));
  const cells = table.rows[row - 1]?.cells ?? [];
  const onRow = (next: number): void =>
    void navigate({
      to: '/documents/new',
      search: (before) => ({ ...before, row: next }),
      replace: true,
    });
  const onFill = (path: string, filling: Filling | null): void =>
    setMapping((before) => {
      const next = new Map(before);
      if (filling === null) next.delete(path);
      else next.set(path, filling);
      return next;
    });
  const run = useRun({ sheet, template, fields, mapping, output, dataLocale, saveAs, draft });
  const may = useMay('createBatch');
  const why =
    may.why ??
    (undecided.length > 0
      ? `${plural(undecided.length, 'field')} still ${undecided.length === 1 ? 'needs' : 'need'} a decision: ${undecided
          .slice(0, 3)
          .map(({ path }) => path)
          .join(', ')}`
      : saveAs !== '' && wrongName(saveAs) !== null
        ? 'The name that it is saved under is not right.'
        : null);
  return (
    <>
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_minmax(0,500px)] max-lg:grid-cols-1 max-lg:overflow-y-auto max-md:flex-none max-md:overflow-visible">
        <div className="min-h-0 overflow-y-auto max-lg:overflow-visible">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line px-6 py-3 max-md:px-4">
            <Table2 size={15} className="text-ink-3" aria-hidden="true" />
            <b>{sheet.file.name}</b>
            <span className="text-ink-2">{plural(table.total, 'row')}</span>
            <ArrowRight size={15} className="text-water-2" aria-hidden="true" />
            <FileText size={15} className="text-ink-3" aria-hidden="true" />
            <Link
              to="/documents/templates/$name"
              params={{ name: template.name }}
              className="font-semibold hover:underline"
            >
              {template.name}
            </Link>
            <span className="text-ink-2">
              version {template.version}, {plural(fields.length, 'field')}
            </span>
          </p>
          {ran !== null && (
            <div className="border-b border-line px-6 py-3 max-md:px-4">
              <Banner
                phase="succeeded"
                title={`These rows ran as ${ran}`}
                action={
                  <ButtonLink size="small" to="/documents/batches/$id" params={{ id: ran }}>
                    Open {ran}
                  </ButtonLink>
                }
              >
                To run them again makes each document once more.
              </Banner>
            </div>
          )}
          {again !== null && begun.changes !== null && (
            <Changed
              name={again.name}
              at={again.updatedAt}
              rows={again.value.rows}
              changes={begun.changes}
            />
          )}
          <MapRows
            fields={fields}
            mapping={mapping}
            table={table}
            gaps={perField}
            cells={cells}
            onFill={onFill}
          />
          <Output
            output={output}
            onOutput={setOutput}
            dataLocale={dataLocale}
            onDataLocale={onDataLocale}
            saveAs={saveAs}
            onSaveAs={setSaveAs}
            fields={fields.map(({ path }) => path)}
          />
        </div>
        <RowPreview
          template={template.id}
          mapping={mapping}
          rows={table.rows}
          row={row}
          gaps={gaps.map((gap) => gap.row)}
          locale={output.locale}
          dataLocale={dataLocale}
          onRow={onRow}
        />
      </div>
      {run.isError && (
        <div className="flex-none px-6 py-2 max-md:px-4">
          <Trouble error={run.error} />
        </div>
      )}
      <footer className="flex flex-none flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-6 py-3 max-md:px-4">
        <Ready
          total={table.total}
          gaps={gaps.map((gap) => gap.row)}
          onRow={onRow}
          seen={table.rows.length}
        />
        <span className="ml-auto flex flex-wrap items-center gap-2">
          {why !== null && <span className="text-small text-ink-3">{why}</span>}
          <Button look="ghost" onClick={onBack}>
            Back
          </Button>
          <Button look="filled" why={why} disabled={run.isPending} onClick={() => run.mutate()}>
            {run.isPending ? 'Sending…' : `Run ${plural(table.total, 'row')}`}
          </Button>
        </span>
      </footer>
    </>
  );
}

function Ready({
  total,
  seen,
  gaps,
  onRow,
}: {
  total: number;
  seen: number;
  gaps: readonly number[];
  onRow(row: number): void;
}) {
  const ready = total - gaps.length;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <Progress
        parts={[
          { of: 'done', count: ready },
          { of: 'retrying', count: gaps.length },
        ]}
        total={total}
        label={`${count(ready)} of ${count(total)} rows are ready`}
        width={160}
        className="h-1.75 w-40 max-md:w-24"
      />
      <span>
        <b>{count(ready)}</b> {ready === 1 ? 'row is' : 'rows are'} ready
        {gaps.length > 0 && (
          <>
            , <b>{count(gaps.length)}</b> {gaps.length === 1 ? 'lacks' : 'lack'} a value:{' '}
            {gaps.slice(0, 5).map((row, index) => (
              <span key={row}>
                {index > 0 && ', '}
                <button
                  type="button"
                  onClick={() => onRow(row)}
                  className="rounded-token font-medium text-link hover:underline"
                >
                  {count(row)}
                </button>
              </span>
            ))}
            {gaps.length > 5 && ` and ${count(gaps.length - 5)} more`}
          </>
        )}
        {total > seen && (
          <span className="text-ink-3"> (the first {count(seen)} were looked at)</span>
        )}
      </span>
    </div>
  );
}
