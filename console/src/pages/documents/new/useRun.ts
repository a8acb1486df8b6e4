import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useApi } from '../../../data/client.ts';
import { useSaving } from '../../../data/saved.ts';
import { plural } from '../../../time/words.ts';
import { toast } from '../../../ui/toast.tsx';
import { type SavedBatch, filledOf } from '../again/again.ts';
import type { Template } from '../types.ts';
import type { Sheet } from './ChooseFiles.tsx';
import type { Draft } from './draft.ts';
import type { Mapping, TemplateField } from './match.ts';
import type { OutputChoice } from './Output.tsx';
import { passwordHeaderOf, pdfQueryOf } from './pdf-choice.ts';
import { queryOf } from './useCheck.ts';

/** Sends the spreadsheet with what was decided, goes to the batch, and keeps the decisions for the next time. */
export function useRun({
  sheet,
  template,
  fields,
  mapping,
  output,
  password,
  dataLocale,
  saveAs,
  draft,
}: {
  readonly sheet: Sheet;
  readonly template: Template;
  readonly fields: readonly TemplateField[];
  readonly mapping: Mapping;
  readonly output: OutputChoice;
  /** The password of the PDFs, if they have one. */
  readonly password: string;
  readonly dataLocale: string;
  readonly saveAs: string;
  readonly draft: Draft;
}) {
  const api = useApi();
  const navigate = useNavigate();
  const { save } = useSaving('batches');
  const columns = sheet.table.columns.map(({ name }) => name);
  return useMutation({
    mutationFn: () =>
      api.createBatch(
        {
          query: {
            ...queryOf({ sheet, template, mapping, output, dataLocale }),
            outputFileName: output.name,
            outputFormat: output.format,
            ...pdfQueryOf(output),
          },
          upload: { type: sheet.type, bytes: sheet.file },
        },
        passwordHeaderOf(output, password),
      ),
    onSuccess: ({ id, total }) => {
      toast({ text: `${plural(total, 'document')} under way`, phase: 'running' });
      draft.finish(id);
      void navigate({ to: '/documents/batches/$id', params: { id } });
      if (saveAs === '') return;
      const saved: SavedBatch = {
        template: template.name,
        version: template.version,
        columns: columns.filter((name) => name !== ''),
        fields: fields.map(({ path }) => path),
        filled: filledOf(mapping, columns),
        output,
        dataLocale,
        rows: total,
      };
      void save(saveAs, saved);
    },
  });
}
