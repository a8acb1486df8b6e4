import type { ReactNode } from 'react';
import { Scroller } from '../pdf/Scroller.tsx';

/** A list and, at its right, the page of the row that is chosen; one below the other where it is narrow. */
export function Panes({ page, children }: { page: ReactNode; children: ReactNode }) {
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_minmax(0,430px)] max-lg:block max-lg:overflow-y-auto max-md:flex-none max-md:overflow-visible">
      <div className="min-h-0 overflow-y-auto max-lg:overflow-visible">{children}</div>
      <aside
        aria-label="Page"
        className="flex min-h-0 flex-col border-l border-line bg-canvas max-lg:border-t max-lg:border-l-0"
      >
        {page}
      </aside>
    </div>
  );
}

export function PaneHead({ children }: { children: ReactNode }) {
  return (
    <header className="flex min-h-11 flex-none flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-1.5">
      {children}
    </header>
  );
}

export function PaneBody({ isBusy, children }: { isBusy: boolean; children: ReactNode }) {
  return (
    <Scroller label="Page of the row" isBusy={isBusy} className="p-5">
      {children}
    </Scroller>
  );
}
