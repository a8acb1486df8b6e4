import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Pager } from '../../../ui/pager.tsx';
import { Trouble } from '../../../ui/trouble.tsx';

export const HEAD =
  'sticky top-0 z-1 h-8 bg-well pr-4 text-left text-small font-[450] whitespace-nowrap text-ink-3 shadow-[inset_0_-1px_0_var(--line)] first:pl-6 last:pr-6';
/** Below 720 px a row is a small grid: name and state in the first line, the rest below. */
export const ROW =
  'group max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-3 max-md:gap-y-1 max-md:border-b max-md:border-line-soft max-md:px-4 max-md:py-2.5';
export const CELL =
  'h-11 pr-4 border-b border-line-soft group-hover:bg-hover first:pl-6 last:pr-6 max-md:h-auto max-md:border-0 max-md:p-0 max-md:first:pl-0 max-md:last:pr-0';

/** A list with what it says when it cannot be read, when nothing is in it, and the pages below it. */
export function Listed({
  answer,
  empty,
  isEmpty,
  next,
  footer,
  children,
}: {
  readonly answer: { isError: boolean; isSuccess: boolean; error: unknown; refetch(): unknown };
  readonly empty: ReactNode;
  readonly isEmpty: boolean;
  readonly next: string | null | undefined;
  readonly footer: ReactNode;
  readonly children: ReactNode;
}) {
  const search = useSearch({ from: '/shell/documents' });
  const navigate = useNavigate();
  return (
    <>
      <div className="min-h-0 flex-1 overflow-auto max-md:flex-none max-md:overflow-visible">
        {answer.isError && (
          <div className="p-6 max-md:p-4">
            <Trouble error={answer.error} retry={() => void answer.refetch()} />
          </div>
        )}
        {answer.isSuccess && (isEmpty ? empty : children)}
      </div>
      <footer className="flex flex-none items-center gap-2 border-t border-line px-6 py-2 text-small text-ink-2 max-md:px-4">
        <span>{footer}</span>
        <span className="flex-1" />
        <Pager
          isFirst={search.after === undefined}
          next={next}
          onNext={(after) => void navigate({ to: '/documents', search: { ...search, after } })}
        />
      </footer>
    </>
  );
}
