import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useReducer, useState } from 'react';
import { useApi, useApp } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { useSaved } from '../../../data/saved.ts';
import { Page } from '../../../shell/Page.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { savedBatch } from '../again/again.ts';
import { ownLocale } from '../locales.ts';
import { ChooseFiles } from './ChooseFiles.tsx';
import { type Draft, isAbout, ownDraft } from './draft.ts';
import { MapStep } from './MapStep.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Banner } from '../../../ui/banner.tsx';
import { StateIcon } from '../../../ui/state.tsx';

const CRUMBS = [{ word: 'Batches', link: { to: '/documents' } }] as const;

/** Files, then map and preview, then run. Step and template are in the address; the file and what was decided in the draft. */
export function NewBatchPage() {
  const api = useApi();
  const navigate = useNavigate();
  const search = useSearch({ from: '/shell/documents/new' });
  const { template: name, again: asked, step } = search;
  const draft = ownDraft(useApp().tenant);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  // What has run is over for who begins a new one; who comes back to its mapping finds it.
  if (draft.ran() !== null && step !== 'map') draft.drop();
  const held = draft.kept();
  const kept = isAbout(held, name, asked) ? held : null;
  // The draft belongs to this batch, or its file was dropped before the template was chosen.
  const sheet = held === null || kept !== null ? draft.sheet() : null;
  const saved = useSaved('batches', savedBatch);
  const again = saved?.find((each) => each.name === asked && each.value.template === name) ?? null;
  const [last = null] = (saved ?? [])
    .filter(({ value }) => value.template === name)
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  const [locale, setDataLocale] = useState<string | null>(null);
  const dataLocale = locale ?? kept?.dataLocale ?? again?.value.dataLocale ?? ownLocale();
  const template = useQuery({
    queryKey: keys.template(name ?? ''),
    queryFn: () => api.getTemplate({ params: { id: name ?? '' } }),
    enabled: name !== undefined,
  });
  const isMapping = step === 'map' && sheet !== null;
  const ready = isMapping && template.data !== undefined && saved !== undefined;
  const go = (to: Partial<typeof search>): void =>
    void navigate({ to: '/documents/new', search: { template: name, again: asked, ...to } });
  return (
    <Page
      // A page for each step: its heading takes the focus, which what was pressed has taken with it.
      key={isMapping ? 'map' : 'files'}
      title="New batch"
      crumbs={CRUMBS}
      scrolls={!ready}
      actions={<Steps at={isMapping ? 'map' : 'files'} onFiles={() => go({})} />}
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
          draft={draft}
          kept={kept}
          dataLocale={dataLocale}
          onDataLocale={setDataLocale}
          onBack={() => go({})}
        />
      ) : (
        !isMapping && (
          <ChooseFiles
            template={name}
            sheet={sheet}
            saved={saved ?? []}
            again={again}
            dataLocale={dataLocale}
            notice={
              sheet === null && (
                <LeftOff
                  draft={draft}
                  isThis={kept !== null}
                  onDrop={() => {
                    draft.drop();
                    redraw();
                    void navigate({ to: '/documents/new', search: {}, replace: true });
                  }}
                />
              )
            }
            onTemplate={(chosen) => {
              if (sheet !== null) {
                draft.forget();
                go({ template: chosen, again: undefined, step: 'map' });
              } else
                void navigate({
                  to: '/documents/new',
                  search: { template: chosen },
                  replace: true,
                });
            }}
            onSheet={(read) => {
              draft.setSheet(read);
              redraw();
              if (name !== undefined && step !== 'map') go({ step: 'map' });
            }}
            onGo={() => go({ step: 'map' })}
          />
        )
      )}
    </Page>
  );
}

/** An unfinished draft: continue with it, or drop the file again that a reload has lost. */
function LeftOff({
  draft,
  isThis,
  onDrop,
}: {
  readonly draft: Draft;
  /** The address is that of the draft. */
  readonly isThis: boolean;
  onDrop(): void;
}) {
  const kept = draft.kept();
  if (kept === null || draft.ran() !== null) return null;
  const startOver = (
    <Button size="small" onClick={onDrop}>
      Start over
    </Button>
  );
  if (draft.sheet() === null && isThis)
    return (
      <Banner phase="retrying" title={`Drop the file ${kept.file} again`} action={startOver}>
        The page was reloaded, and the browser does not keep files. Your choices for its columns are
        kept.
      </Banner>
    );
  if (isThis) return null;
  return (
    <Banner
      phase="scheduled"
      title={`${kept.file} with ${kept.template} is not run yet`}
      action={
        <span className="flex flex-wrap gap-2">
          <ButtonLink
            size="small"
            to="/documents/new"
            search={{ template: kept.template, again: kept.again ?? undefined, step: 'map' }}
          >
            Go on with it
          </ButtonLink>
          {startOver}
        </span>
      }
    >
      Your choices are kept{draft.sheet() === null ? '; drop the file again' : ''}.
    </Banner>
  );
}

const STEPS = [
  { step: 'files', word: 'Files' },
  { step: 'map', word: 'Map and preview' },
  { step: 'run', word: 'Run' },
] as const;
type Step = (typeof STEPS)[number]['step'];

/** Where one is. A step that is done leads back to it. */
function Steps({ at, onFiles }: { at: Step; onFiles(): void }) {
  const now = STEPS.findIndex(({ step }) => step === at);
  return (
    <ol aria-label="Steps" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small">
      {STEPS.map(({ step, word }, index) => (
        <li
          key={step}
          aria-current={index === now ? 'step' : undefined}
          className="flex items-center gap-1.5 text-ink-3 aria-[current=step]:font-semibold aria-[current=step]:text-ink"
        >
          {index > 0 && <i className="mr-1.5 h-px w-5 bg-line-strong max-md:hidden" />}
          {index < now ? (
            <button
              type="button"
              onClick={onFiles}
              className="flex items-center gap-1.5 rounded-token text-ink-2 hover:underline"
            >
              <StateIcon phase="succeeded" />
              {word}
            </button>
          ) : (
            <>
              <span
                className={`grid size-4.5 place-items-center rounded-full text-axis font-semibold ${index === now ? 'bg-brand text-on-brand' : 'border border-line-strong'}`}
              >
                {index + 1}
              </span>
              {word}
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
