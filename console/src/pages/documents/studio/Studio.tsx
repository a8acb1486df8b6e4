import { RotateCcw } from 'lucide-react';
import { Suspense, lazy, useState } from 'react';
import { useMay } from '../../../data/roles.ts';
import { plural, span } from '../../../time/words.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/field.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { LOCALES, ownLocale } from '../locales.ts';
import { type Mark, Pdf, Pin } from '../pdf/Pdf.tsx';
import { Scroller } from '../pdf/Scroller.tsx';
import { usePreview } from '../pdf/usePreview.ts';
import type { TemplateAnswer } from '../types.ts';
import { type Shown, pinsOf, problemsOf } from './problems.ts';
import type { Sample } from './useSample.ts';
import { Versions } from './Versions.tsx';

const JsonEditor = lazy(() =>
  import('./JsonEditor.tsx').then(({ JsonEditor: loaded }) => ({ default: loaded })),
);

export function Studio({ answer, sample }: { answer: TemplateAnswer; sample: Sample }) {
  const { template, lint } = answer;
  const may = useMay('previewTemplate');
  const [locale, setLocale] = useState(ownLocale);
  const [focused, setFocused] = useState<string | null>(null);
  const preview = usePreview(
    may.allowed ? { template: template.id, data: sample.data, locale } : null,
  );
  const problems = problemsOf(lint, sample.data);
  const marks: Mark[] = [
    ...pinsOf(problems),
    ...(focused !== null && focused.length > 1
      ? [
          {
            key: 'focus',
            texts: [focused],
            look: 'frame' as const,
            tone: 'focus' as const,
            label: focused,
          },
        ]
      : []),
  ];
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(260px,350px)_minmax(0,1fr)_minmax(240px,290px)] max-lg:grid-cols-[minmax(240px,1fr)_minmax(0,1.4fr)] max-lg:overflow-y-auto max-md:block max-md:flex-none max-md:overflow-visible">
      <section
        aria-label="Data"
        className="flex min-h-0 flex-col border-r border-line max-lg:min-h-100 max-md:h-80 max-md:border-r-0 max-md:border-b"
      >
        <Head>
          <h2>Sample data</h2>
          <span className="flex-1 text-small text-ink-3">
            {plural(new Set(lint.fields.map(({ path }) => path)).size, 'field')}
          </span>
          <IconButton label="Reset the sample to the template’s fields" onClick={sample.reset}>
            <RotateCcw size={15} />
          </IconButton>
        </Head>
        <div className="min-h-0 flex-1 overflow-hidden">
          <Suspense fallback={<p className="p-4 text-ink-3">Opening the editor…</p>}>
            <JsonEditor
              label="Sample data as JSON"
              value={sample.text}
              onChange={sample.setText}
              onValue={setFocused}
            />
          </Suspense>
        </div>
      </section>
      <section aria-label="Page" className="flex min-h-0 flex-col bg-canvas max-lg:min-h-100">
        <Head>
          <span
            role="status"
            className="flex min-w-0 flex-1 items-center gap-2 text-ink-2 max-md:text-small max-md:whitespace-nowrap"
          >
            <i
              className={`size-1.75 rounded-full ${preview.isBusy ? 'bg-retrying-fill' : 'bg-running-fill'}`}
            />
            {preview.isBusy
              ? 'Rendering'
              : preview.ms === null
                ? (may.why ?? 'Not rendered')
                : `Rendered in ${span(preview.ms)}`}
          </span>
          <Choice
            aria-label="Language of the document"
            value={locale}
            onChange={(event) => setLocale(event.target.value)}
            className="w-auto! max-w-44 max-md:max-w-34"
          >
            {LOCALES.map(({ value, word }) => (
              <option key={value} value={value}>
                {word.split(':')[0]}
              </option>
            ))}
          </Choice>
        </Head>
        <Scroller label="Page with the sample data" isBusy={preview.isBusy}>
          {preview.error !== null && (
            <div className="mb-4">
              <Trouble error={preview.error} />
            </div>
          )}
          <Pdf bytes={preview.bytes} name={template.name} marks={marks} widest={760} />
        </Scroller>
      </section>
      <aside className="min-h-0 overflow-y-auto border-l border-line max-lg:col-span-2 max-lg:overflow-visible max-lg:border-t max-lg:border-l-0">
        <Problems problems={problems} />
        <Versions name={template.name} shown={template.id} />
      </aside>
    </div>
  );
}

function Head({ children }: { children: React.ReactNode }) {
  return (
    <header className="flex min-h-11 flex-none flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-1.5">
      {children}
    </header>
  );
}

/** The problems, numbered as on the page. */
function Problems({ problems }: { problems: readonly Shown[] }) {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  return (
    <section className="border-b border-line px-4 py-3">
      <h2 className="mb-1 flex items-center justify-between gap-2">
        Problems
        <span className="text-small font-normal text-ink-3">
          {problems.length === 0
            ? 'none'
            : `${plural(errors, 'error')}, ${plural(warnings, 'warning')}`}
        </span>
      </h2>
      {problems.length === 0 && (
        <p className="text-ink-2">
          The template is valid, and the sample data has every field it needs.
        </p>
      )}
      <ol className="flex flex-col">
        {problems.map(({ number, severity, title, detail, code, snippet }) => (
          <li
            key={number}
            className={`-mx-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5 rounded-node px-2 py-2 ${severity === 'error' ? 'bg-failed-tint' : ''}`}
          >
            <span className="pt-0.5">
              <Pin tone={severity}>{number}</Pin>
            </span>
            <div className="min-w-0">
              <b className="break-words">{title}</b>
              <p className="text-ink-2">
                {detail} <code className="text-ink-3">{code}</code>
              </p>
              {snippet !== null && (
                <code className="mt-1 block rounded-token bg-well px-2 py-1 break-words text-ink-2">
                  {snippet}
                </code>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
