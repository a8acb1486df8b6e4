import { type ReactNode, useEffect, useRef } from 'react';

/** Classes of a link in a `TabBar`: the current one has `aria-current`. */
export const TAB =
  'flex h-11 flex-none items-center gap-1.5 whitespace-nowrap text-ink-2 hover:text-ink aria-[current=page]:font-[550] aria-[current=page]:text-ink aria-[current=page]:shadow-[inset_0_-2px_0_var(--link)]';

/** Parts of a page, each with an address. Scrolls sideways by itself where there is no room. */
export function TabBar({ label, children }: { label: string; children: ReactNode }) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const shown = bar.current?.querySelector('[aria-current=page]');
    shown?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  return (
    <nav
      ref={bar}
      aria-label={label}
      className="flex flex-none gap-6 overflow-x-auto border-b border-line px-6 max-md:gap-4 max-md:px-4"
    >
      {children}
    </nav>
  );
}
