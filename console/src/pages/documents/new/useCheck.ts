import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../../../data/client.ts';
import { useMay } from '../../../data/roles.ts';
import type { RowsChecked, Template } from '../types.ts';
import type { Sheet } from './ChooseFiles.tsx';
import { type Mapping, readingOf } from './match.ts';
import type { OutputChoice } from './Output.tsx';

/** Longer than the time between two keys, and than from one column to the next of who chooses quickly: the file goes with each question. */
const DELAY_MS = 400;

/** A person's choices for a batch. */
export interface Decided {
  readonly sheet: Sheet;
  readonly template: Template;
  readonly mapping: Mapping;
  readonly output: OutputChoice;
  readonly dataLocale: string;
}

export interface Checked {
  /** Undefined until the first answer is there. */
  readonly result: RowsChecked | undefined;
  /** True while newer choices are not in the result yet. */
  readonly isBusy: boolean;
  readonly error: Error | null;
}

/** The expected result of each row, by the same check that the server applies when they run. */
export function useCheck(decided: Decided): Checked {
  const api = useApi();
  const may = useMay('checkRows');
  const query = JSON.stringify(queryOf(decided));
  const [settled, setSettled] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(query), DELAY_MS);
    return () => clearTimeout(timer);
  }, [query]);
  const { file, type } = decided.sheet;
  const answer = useQuery({
    queryKey: ['rows-checked', file.name, file.size, file.lastModified, settled],
    queryFn: ({ signal }) =>
      api.checkRows(
        { query: JSON.parse(settled) as BatchQuery, upload: { type, bytes: file } },
        { signal },
      ),
    enabled: may.allowed,
    placeholderData: (before) => before,
    staleTime: Infinity,
  });
  const isBusy = answer.isFetching || settled !== query;
  return { result: answer.data, isBusy, error: answer.error };
}

export type BatchQuery = ReturnType<typeof queryOf>;

/** How rows are read and filled in: the same for the check and for the batch. */
export function queryOf({ sheet: { table }, template, mapping, output, dataLocale }: Decided) {
  const reading = readingOf(
    mapping,
    table.columns.map(({ name }) => name),
  );
  return {
    templateId: template.id,
    locale: output.locale,
    dataLocale,
    columns: JSON.stringify(reading.columns),
    same: JSON.stringify(reading.same),
    strict: output.gaps === 'hold' ? 'true' : 'false',
    // What nothing fills was decided field by field.
    allowMissing: 'true',
    ...(table.sheet !== null && { sheet: table.sheet }),
  } as const;
}
