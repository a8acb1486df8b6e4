import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Trouble } from './trouble.tsx';

/** A list on the left with one item beside it, or an empty state. */
export function CataloguePanes({
  label,
  answer,
  items,
  empty,
  children,
}: {
  readonly label: string;
  readonly answer: { isError: boolean; isSuccess: boolean; error: unknown; refetch(): unknown };
  readonly items: readonly CatalogueItem[];
  readonly empty: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <>
      {answer.isError && (
        <div className="p-6">
          <Trouble error={answer.error} retry={() => void answer.refetch()} />
        </div>
      )}
      {answer.isSuccess && items.length === 0 && empty}
      {items.length > 0 && (
        <div className="grid min-h-0 flex-1 grid-cols-[236px_minmax(0,1fr)] max-md:block">
          <Catalogue label={label} items={items} />
          <div className="min-h-0 overflow-y-auto">{children}</div>
        </div>
      )}
    </>
  );
}

export interface CatalogueItem {
  readonly name: string;
  readonly title: string;
  readonly note: string;
  readonly mark?: ReactNode;
  readonly link: LinkProps;
  readonly isShown: boolean;
}

/** The list at the left: what there is. On a phone a row of its own that scrolls sideways. */
function Catalogue({ label, items }: { label: string; items: readonly CatalogueItem[] }) {
  return (
    <nav
      aria-label={label}
      className="flex min-h-0 flex-col border-r border-line max-md:border-r-0 max-md:border-b"
    >
      <ul className="min-h-0 flex-1 overflow-y-auto p-2 max-md:flex max-md:overflow-x-auto">
        {items.map(({ name, title, note, mark, link, isShown }) => (
          <li key={name} className="max-md:flex-none">
            <Link
              {...link}
              aria-current={isShown ? 'page' : undefined}
              className="flex min-h-11 items-center gap-2 rounded-control px-2.5 py-1 hover:bg-hover aria-[current=page]:bg-hover"
            >
              <span className="min-w-0 flex-1">
                <span className={`block truncate ${isShown ? 'font-[550]' : ''}`}>{title}</span>
                <span className="block truncate text-small text-ink-3">{note}</span>
              </span>
              {mark}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
