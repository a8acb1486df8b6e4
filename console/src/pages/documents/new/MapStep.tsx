import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowRight, FileText, Table2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useMay } from '../../../data/roles.ts';
import { type Saved, wrongName } from '../../../data/saved.ts';
import { plural } from '../../../time/words.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { type SavedBatch, columnsOf, doAgain } from '../again/again.ts';
import { Changed } from '../again/Changed.tsx';
import type { TemplateAnswer } from '../types.ts';
import type { Sheet } from './ChooseFiles.tsx';
import { type Draft, type KeptDraft, byName, takenUp } from './draft.ts';
import { MapRows, isUndecided } from './MapRows.tsx';
import { type Filling, type Mapping, agreed, autoMatch, fieldsOf } from './match.ts';
import { Output, type OutputChoice } from './Output.tsx';
import { PLAIN_PDF, wrongWith } from './pdf-choice.ts';
import { Ready } from './Ready.tsx';
import { RowPreview } from './RowPreview.tsx';
import { useCheck } from './useCheck.ts';
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
  /** Choices made before this step was left, or before a reload. */
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
        pdf: PLAIN_PDF,
      },
  );
  const [password, setPassword] = useState('');
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
  const checked = useCheck({ sheet, template, mapping, output, dataLocale });
  const wanting = checked.result?.rows ?? [];
  const undecided = fields.filter((field) => isUndecided(field, mapping));
  const row = Math.min(search.row ?? wanting[0]?.row ?? 1, Math.max(table.rows.length, 1));
  const problems = wanting.find((each) => each.row === row)?.problems ?? [];
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
  const run = useRun({
    sheet,
    template,
    fields,
    mapping,
    output,
    password,
    dataLocale,
    saveAs,
    draft,
  });
  const wrong = wrongWith(output, password);
  const may = useMay('createBatch');
  const why =
    may.why ??
    (undecided.length > 0
      ? `${plural(undecided.length, 'field')} still ${undecided.length === 1 ? 'needs' : 'need'} a decision: ${undecided
          .slice(0, 3)
          .map(({ path }) => path)
          .join(', ')}`
      : saveAs !== '' && wrongName(saveAs) !== null
        ? 'The name to save it under is invalid.'
        : (wrong.password ?? (wrong.pages === null ? null : 'The page range is invalid.')));
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
                title={`These rows already ran as ${ran}`}
                action={
                  <ButtonLink size="small" to="/documents/batches/$id" params={{ id: ran }}>
                    Open {ran}
                  </ButtonLink>
                }
              >
                Running them again creates each document a second time.
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
            checked={checked.result}
            problems={problems}
            cells={cells}
            onFill={onFill}
            onAgree={() => setMapping(agreed)}
            onRow={onRow}
          />
          <Output
            output={output}
            onOutput={setOutput}
            password={password}
            onPassword={setPassword}
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
          wanting={wanting.map((each) => each.row)}
          problems={problems}
          locale={output.locale}
          dataLocale={dataLocale}
          onRow={onRow}
        />
      </div>
      {(run.isError || checked.error !== null) && (
        <div className="flex-none px-6 py-2 max-md:px-4">
          <Trouble error={run.error ?? checked.error} />
        </div>
      )}
      <footer className="flex flex-none flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-6 py-3 max-md:px-4">
        <Ready checked={checked} onRow={onRow} />
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
