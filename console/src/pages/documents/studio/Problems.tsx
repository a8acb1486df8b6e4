import { plural } from '../../../time/words.ts';
import { Pin } from '../pdf/Pdf.tsx';
import type { Shown } from './problems.ts';

/** What is wrong, with the number that stands on the page. */
export function Problems({ problems }: { problems: readonly Shown[] }) {
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
