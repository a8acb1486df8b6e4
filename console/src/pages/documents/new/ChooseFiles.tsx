import { useMutation, useQuery } from '@tanstack/react-query';
import { FileText, Table2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApi } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { useMay } from '../../../data/roles.ts';
import type { Saved } from '../../../data/saved.ts';
import { plural } from '../../../time/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Choice, Field } from '../../../ui/field.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import type { SavedBatch } from '../again/again.ts';
import { AgainList } from '../again/AgainList.tsx';
import { XLSX_TYPE } from '../things.ts';
import type { TableRead } from '../types.ts';
import { useAddTemplate } from '../UploadTemplate.tsx';
import { Drop } from './Drop.tsx';

/** A spreadsheet that the service has read. The file itself is sent again when the batch runs. */
export interface Sheet {
  readonly file: File;
  readonly type: 'text/csv' | typeof XLSX_TYPE;
  readonly table: TableRead;
}

/** The first step: a template and a spreadsheet, in either order. */
export function ChooseFiles({
  template,
  sheet,
  saved,
  again,
  dataLocale,
  notice,
  onTemplate,
  onSheet,
  onGo,
}: {
  readonly template: string | undefined;
  readonly sheet: Sheet | null;
  readonly saved: readonly Saved<SavedBatch>[];
  readonly again: Saved<SavedBatch> | null;
  readonly dataLocale: string;
  /** Above all else: what was begun before. */
  readonly notice: ReactNode;
  onTemplate(name: string): void;
  onSheet(sheet: Sheet): void;
  onGo(): void;
}) {
  const why =
    template === undefined
      ? 'Choose a template first.'
      : sheet === null
        ? 'Choose a spreadsheet first.'
        : null;
  return (
    <div className="mx-auto grid w-full max-w-240 grid-cols-2 gap-x-8 gap-y-6 px-6 py-8 max-md:grid-cols-1 max-md:px-4 max-md:py-4">
      {notice !== false && <div className="col-span-full empty:hidden">{notice}</div>}
      {again === null ? (
        saved.length > 0 && (
          <div className="col-span-full">
            <AgainList saved={saved} />
          </div>
        )
      ) : (
        <p className="col-span-full text-lead">
          <b>{again.name}</b>{' '}
          <span className="text-ink-2">
            runs again: choose the new spreadsheet. Its columns are matched by name.
          </span>
        </p>
      )}
      <ChooseTemplate template={template} onTemplate={onTemplate} />
      <ChooseSheet sheet={sheet} dataLocale={dataLocale} onSheet={onSheet} />
      <div className="col-span-full flex flex-wrap items-center justify-end gap-3 border-t border-line pt-4">
        {why !== null && <span className="text-small text-ink-3">{why}</span>}
        <Button look="filled" why={why} onClick={onGo}>
          Map columns
        </Button>
      </div>
    </div>
  );
}

function ChooseTemplate({
  template,
  onTemplate,
}: {
  template: string | undefined;
  onTemplate(name: string): void;
}) {
  const api = useApi();
  const may = useMay('addTemplate');
  const list = useQuery({
    queryKey: [...keys.templates(), {}],
    queryFn: () => api.listTemplates({ query: { limit: 200 } }),
  });
  const add = useAddTemplate(({ name }) => onTemplate(name));
  const templates = list.data?.templates ?? [];
  return (
    <section className="flex flex-col gap-3">
      <h2 className="flex items-center gap-2">
        <FileText size={16} className="text-ink-3" aria-hidden="true" />
        Template
      </h2>
      {templates.length > 0 && (
        <Field label="Existing template" id="template">
          <Choice
            id="template"
            value={template ?? ''}
            onChange={(event) => onTemplate(event.target.value)}
          >
            <option value="" disabled>
              Choose a template
            </option>
            {templates.map(({ id, name, version }) => (
              <option key={id} value={name}>
                {name}, version {version}
              </option>
            ))}
          </Choice>
        </Field>
      )}
      <Drop
        accept=".docx"
        title="Drop or choose a Word file"
        why={may.why}
        isBusy={add.isPending}
        onFile={(file) => add.mutate({ file })}
      >
        DOCX with fields such as {'{{Candidate.Name}}'}. It is saved as a template under the file’s
        name.
      </Drop>
      {add.isError && <Trouble error={add.error} />}
    </section>
  );
}

function ChooseSheet({
  sheet,
  dataLocale,
  onSheet,
}: {
  sheet: Sheet | null;
  dataLocale: string;
  onSheet(sheet: Sheet): void;
}) {
  const api = useApi();
  const may = useMay('readRows');
  const read = useMutation({
    mutationFn: async (file: File): Promise<Sheet> => {
      const type = /\.xlsx$/i.test(file.name) ? XLSX_TYPE : 'text/csv';
      const table = await api.readRows({
        query: { dataLocale },
        upload: { type, bytes: file },
      });
      return { file, type, table };
    },
    onSuccess: onSheet,
  });
  return (
    <section className="flex flex-col gap-3">
      <h2 className="flex items-center gap-2">
        <Table2 size={16} className="text-ink-3" aria-hidden="true" />
        Spreadsheet
      </h2>
      {sheet !== null && (
        <p className="rounded-control bg-brand-tint px-3 py-2">
          <b>{sheet.file.name}</b>{' '}
          <span className="text-ink-2">
            {plural(sheet.table.total, 'row')}, {plural(sheet.table.columns.length, 'column')}
            {sheet.table.sheet !== null && `, sheet “${sheet.table.sheet}”`}
          </span>
        </p>
      )}
      <Drop
        accept=".csv,.xlsx,text/csv"
        title={sheet === null ? 'Drop or choose a spreadsheet' : 'Drop or choose another one'}
        why={may.why}
        isBusy={read.isPending}
        onFile={(file) => read.mutate(file)}
      >
        XLSX or CSV. Its first row names the columns; each row below is one document.
      </Drop>
      {read.isError && <Trouble error={read.error} />}
    </section>
  );
}
