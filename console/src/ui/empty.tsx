import type { ReactNode } from 'react';

/** Nothing here yet: one sentence that teaches, the action, and a sample. */
export function Empty({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="m-auto flex max-w-md flex-col items-center gap-1 px-5 py-10 text-center">
      <svg
        width="72"
        height="52"
        viewBox="0 0 72 52"
        fill="none"
        aria-hidden="true"
        className="mb-2"
      >
        <path d="M4 2v38q0 8 8 8h48q8 0 8-8V2" stroke="var(--line-strong)" strokeWidth="1.5" />
        <path d="M12 33q6-4 12 0t12 0 12 0 12 0" stroke="var(--water-1)" strokeWidth="2" />
        <path d="M12 41q6-3 12 0t12 0 12 0 12 0" stroke="var(--water-3)" strokeWidth="1.5" />
      </svg>
      <b className="text-lead">{title}</b>
      <div className="mb-3 text-ink-2">{children}</div>
      {action !== undefined && <div className="flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
