import type { ReactNode } from 'react';
import { type Phase, StateIcon, TINT } from './state.tsx';

/** Why something is where it is. `title` answers "why, and until when"; the text says what is safe; `action` is the one that helps. */
export function Banner({
  phase,
  title,
  code,
  aside,
  action,
  children,
}: {
  readonly phase: Phase;
  readonly title: ReactNode;
  /** The reason for programs stays in sight: it is what people search for. */
  readonly code?: string;
  readonly aside?: ReactNode;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div
      className={`flex flex-wrap items-start gap-x-3 gap-y-2 rounded-node border px-3.5 py-3 ${TINT[phase]}`}
      style={
        {
          '--knock': `var(--${phase}-tint)`,
          borderColor: `color-mix(in srgb, var(--${phase}) 22%, transparent)`,
        } as React.CSSProperties
      }
    >
      <div className="flex min-w-0 flex-[1_1_14rem] gap-3">
        <span className="mt-0.5">
          <StateIcon phase={phase} size={16} />
        </span>
        <div className="min-w-0 wrap-anywhere">
          <b className="line-clamp-8">{title}</b>
          <div className="text-ink-2">{children}</div>
        </div>
      </div>
      {aside}
      {code !== undefined && <code className="text-ink-3">{code}</code>}
      {action}
    </div>
  );
}
