import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { useSaved } from '../../../data/saved.ts';
import { Page } from '../../../shell/Page.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { savedBatch } from '../again/again.ts';
import { ownLocale } from '../locales.ts';
import { ChooseFiles, type Sheet } from './ChooseFiles.tsx';
import { MapStep } from './MapStep.tsx';
import { Steps } from './Steps.tsx';

const CRUMBS = [{ word: 'Batches', link: { to: '/documents' } }] as const;

/** Files, then map and preview, then run. The template is in the address; a file of the reader's machine cannot be. */
export function NewBatchPage() {
  const api = useApi();
  const navigate = useNavigate();
  const { template: name, again: asked } = useSearch({ from: '/shell/documents/new' });
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [isMapping, setMapping] = useState(false);
  const saved = useSaved('batches', savedBatch);
  const again = saved?.find((each) => each.name === asked && each.value.template === name) ?? null;
  const [last = null] = (saved ?? [])
    .filter(({ value }) => value.template === name)
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  const [locale, setDataLocale] = useState<string | null>(null);
  const dataLocale = locale ?? again?.value.dataLocale ?? ownLocale();
  const template = useQuery({
    queryKey: keys.template(name ?? ''),
    queryFn: () => api.getTemplate({ params: { id: name ?? '' } }),
    enabled: name !== undefined,
  });
  const ready = isMapping && sheet !== null && template.data !== undefined && saved !== undefined;
  return (
    <Page
      title="New batch"
      crumbs={CRUMBS}
      scrolls={!ready}
      actions={<Steps at={ready ? 'map' : 'files'} onFiles={() => setMapping(false)} />}
    >
      {template.isError && (
        <div className="p-6 pb-0 max-md:p-4">
          <Trouble error={template.error} />
        </div>
      )}
      {ready ? (
        <MapStep
          key={`${template.data.template.id} ${again?.name} ${sheet.file.name} ${sheet.file.lastModified}`}
          sheet={sheet}
          answer={template.data}
          again={again}
          last={last?.value ?? null}
          dataLocale={dataLocale}
          onDataLocale={setDataLocale}
          onBack={() => setMapping(false)}
        />
      ) : (
        <ChooseFiles
          template={name}
          sheet={sheet}
          saved={saved ?? []}
          again={again}
          dataLocale={dataLocale}
          onTemplate={(chosen) => {
            setMapping(sheet !== null);
            void navigate({ to: '/documents/new', search: { template: chosen }, replace: true });
          }}
          onSheet={(read) => {
            setSheet(read);
            setMapping(name !== undefined);
          }}
          onGo={() => setMapping(true)}
        />
      )}
    </Page>
  );
}
