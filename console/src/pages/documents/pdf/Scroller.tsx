import type { ReactNode } from 'react';

/** Pages scroll in their own pane. It takes the focus, so that arrow keys scroll it: nothing in a page does. */
export function Scroller({
  label,
  isBusy = false,
  className = 'p-6',
  children,
}: {
  readonly label: string;
  readonly isBusy?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <div
      role="region"
      aria-label={label}
      aria-busy={isBusy}
      tabIndex={0}
      className={`min-h-0 flex-1 overflow-y-auto max-md:flex-none max-md:overflow-visible max-md:p-4 ${className}`}
    >
      {children}
    </div>
  );
}
