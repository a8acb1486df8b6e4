import { Link, type LinkProps } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { useLiveStatus } from '../live/useLive.ts';

export interface Crumb {
  readonly word: string;
  readonly link: LinkProps;
}

/**
 * A page: a header of 56 px and what scrolls below it. The router moves neither the title of the window nor the focus, so the page does: who
 * uses a screen reader hears where they are.
 */
export function Page({
  title,
  crumbs = [],
  chip,
  note,
  live = false,
  actions,
  scrolls = true,
  children,
}: {
  readonly title: string;
  readonly crumbs?: readonly Crumb[];
  readonly chip?: ReactNode;
  /** Beside the title, quiet: such as the age of counts. */
  readonly note?: ReactNode;
  readonly live?: boolean;
  /** At most one of them filled. */
  readonly actions?: ReactNode;
  /** False: the page has panes that scroll by themselves. */
  readonly scrolls?: boolean;
  readonly children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Millrace`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <header className="flex min-h-14 flex-none flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-6 py-2 max-md:px-4">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5 max-md:basis-full">
          <div className="flex min-w-0 items-center gap-2">
            {crumbs.map(({ word, link }) => (
              <Fragment key={word}>
                <Link
                  {...link}
                  className="whitespace-nowrap text-ink-3 hover:text-ink max-md:hidden"
                >
                  {word}
                </Link>
                <span className="text-line-strong max-md:hidden">/</span>
              </Fragment>
            ))}
            <h1 ref={heading} tabIndex={-1} className="truncate outline-none">
              {title}
            </h1>
          </div>
          {chip}
          {(live || note !== undefined) && (
            <span className="inline-flex items-center gap-1.75 text-small text-ink-3">
              {live && <LiveMark />}
              {note}
            </span>
          )}
        </div>
        {actions !== undefined && (
          <div className="flex flex-wrap items-center gap-2">{actions}</div>
        )}
      </header>
      <div
        className={`min-h-0 flex-1 ${scrolls ? 'relative overflow-x-hidden overflow-y-auto short:overflow-visible' : 'flex flex-col overflow-hidden max-md:overflow-y-auto short:min-h-120'}`}
      >
        {children}
      </div>
    </>
  );
}

/** For who pressed something that is gone now: the page is where they go on. */
export function focusPage(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

const LIVE_WORDS = { connecting: 'Connecting', live: 'Live', lost: 'Not live' } as const;

/** Whether what is shown follows by itself. */
function LiveMark() {
  const status = useLiveStatus();
  const mark =
    status === 'live'
      ? 'bg-running-fill shadow-[0_0_0_3px_var(--running-tint)]'
      : 'bg-retrying-fill shadow-[0_0_0_3px_var(--retrying-tint)]';
  return (
    <span className="inline-flex items-center gap-1.75 text-ink-2" role="status">
      <i className={`size-1.75 rounded-full ${mark}`} />
      {LIVE_WORDS[status]}
    </span>
  );
}
