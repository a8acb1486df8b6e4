import type { JobSummary } from '@millrace/api';
import { count } from '../time/words.ts';

/** Where something is, for people: form first, then word, then colour. */
export type Phase =
  | 'queued'
  | 'scheduled'
  | 'waiting'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'canceled'
  | 'retrying'
  | 'paused';

export const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  queued: 'Queued',
  scheduled: 'Scheduled',
  waiting: 'Waiting',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  canceled: 'Canceled',
  retrying: 'Retrying',
  paused: 'Paused',
};

/** A job that waits for a later moment was planned so, or failed and is tried again. */
export function phaseOf(job: Pick<JobSummary, 'state' | 'runAt' | 'error'>, now: number): Phase {
  if (job.state !== 'QUEUED' || Date.parse(job.runAt) <= now) return STATE_PHASES[job.state];
  return job.error === null ? 'scheduled' : 'retrying';
}

/** Phases of states that have only one. */
export const STATE_PHASES = {
  QUEUED: 'queued',
  PROCESSING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'canceled',
} as const satisfies Readonly<Record<JobSummary['state'], Phase>>;

export const INK: Readonly<Record<Phase, string>> = {
  queued: 'text-queued',
  scheduled: 'text-scheduled',
  waiting: 'text-queued',
  running: 'text-running',
  succeeded: 'text-succeeded',
  failed: 'text-failed',
  canceled: 'text-canceled',
  retrying: 'text-retrying',
  paused: 'text-paused',
};

export const TINT: Readonly<Record<Phase, string>> = {
  queued: 'bg-queued-tint',
  scheduled: 'bg-scheduled-tint',
  waiting: 'bg-queued-tint',
  running: 'bg-running-tint',
  succeeded: 'bg-succeeded-tint',
  failed: 'bg-failed-tint',
  canceled: 'bg-canceled-tint',
  retrying: 'bg-retrying-tint',
  paused: 'bg-paused-tint',
};

/** The hole in a full form shows what is behind it: `knock` names that surface where it is not the sheet. */
const HOLE = 'var(--knock,var(--surface))';

const FORMS: Readonly<Record<Phase, React.ReactNode>> = {
  queued: <circle cx="8" cy="8" r="5.6" fill="none" stroke="currentColor" strokeWidth="1.7" />,
  waiting: (
    <circle
      cx="8"
      cy="8"
      r="5.6"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeDasharray="2.4 2"
    />
  ),
  scheduled: (
    <g fill="none" stroke="currentColor" strokeWidth="1.7" strokeLinecap="round">
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.8V8l2.2 1.6" strokeWidth="1.5" />
    </g>
  ),
  running: (
    <g className="turning">
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.7" />
      <path d="M8 2v12M2.8 5l10.4 6M2.8 11l10.4-6" stroke="currentColor" strokeWidth="1.15" />
      <circle cx="8" cy="8" r="1.7" fill="currentColor" />
    </g>
  ),
  succeeded: (
    <g>
      <circle cx="8" cy="8" r="6.8" fill="currentColor" />
      <path
        d="M5 8.2l2.1 2.1L11 6.2"
        fill="none"
        stroke={HOLE}
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </g>
  ),
  failed: (
    <g>
      <rect
        x="2.7"
        y="2.7"
        width="10.6"
        height="10.6"
        rx="2"
        transform="rotate(45 8 8)"
        fill="currentColor"
      />
      <path
        d="M6.1 6.1l3.8 3.8M9.9 6.1L6.1 9.9"
        stroke={HOLE}
        strokeWidth="1.5"
        strokeLinecap="round"
      />
    </g>
  ),
  canceled: (
    <g fill="none" stroke="currentColor" strokeWidth="1.7">
      <circle cx="8" cy="8" r="6" />
      <path d="M4 12l8-8" strokeWidth="1.5" />
    </g>
  ),
  retrying: (
    <g>
      <path
        d="M13.4 8a5.4 5.4 0 1 1-1.6-3.8"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.7"
        strokeLinecap="round"
      />
      <path
        d="M13.9 1.8v3.4h-3.4z"
        fill="currentColor"
        stroke="currentColor"
        strokeWidth=".8"
        strokeLinejoin="round"
      />
    </g>
  ),
  paused: (
    <g>
      <rect x="1.6" y="1.6" width="12.8" height="12.8" rx="3.2" fill="currentColor" />
      <path d="M6.2 5.2v5.6M9.8 5.2v5.6" stroke={HOLE} strokeWidth="1.7" strokeLinecap="round" />
    </g>
  ),
};

/** The form alone. `label`: where no word stands beside it. */
export function StateIcon({
  phase,
  size = 14,
  label,
}: {
  phase: Phase;
  size?: number;
  label?: string;
}) {
  const said = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      className={`flex-none ${INK[phase]}`}
      {...said}
    >
      {FORMS[phase]}
    </svg>
  );
}

/** Form and word, in rows. States that need nobody are in quiet ink. */
export function StateText({ phase, word }: { phase: Phase; word?: string }) {
  const loud =
    phase === 'failed' || phase === 'retrying' || phase === 'running' || phase === 'paused';
  return (
    <span className="inline-flex items-center gap-1.5 align-middle whitespace-nowrap">
      <StateIcon phase={phase} />
      <span className={loud ? `${INK[phase]} font-medium` : 'text-ink-2'}>
        {word ?? PHASE_WORDS[phase]}
      </span>
    </span>
  );
}

/** Tinted, in headers. */
export function StateChip({ phase, word }: { phase: Phase; word?: string }) {
  return (
    <span
      className={`inline-flex h-5.5 items-center gap-1.25 rounded-full pr-2 pl-1.5 text-small font-[550] whitespace-nowrap ${TINT[phase]} ${INK[phase]}`}
      style={{ '--knock': `var(--${phase}-tint)` } as React.CSSProperties}
    >
      <StateIcon phase={phase} size={13} />
      {word ?? PHASE_WORDS[phase]}
    </span>
  );
}

/** The executions of a job: one pip each, used ones coloured by how they ended. */
export function Pips({ used, allowed, phase }: { used: number; allowed: number; phase: Phase }) {
  const ended = phase === 'succeeded' ? used - 1 : phase === 'running' ? used - 1 : used;
  const label = `${count(used)} of ${count(allowed)} attempts used`;
  if (allowed > 12) return <span className="text-ink-2">{label}</span>;
  const colour = (index: number): string => {
    if (index < ended) return 'bg-failed-fill';
    if (index >= used) return 'bg-press';
    return phase === 'succeeded' ? 'bg-succeeded-fill' : 'bg-running-fill';
  };
  return (
    <span className="inline-flex gap-0.75 align-middle" role="img" aria-label={label} title={label}>
      {Array.from({ length: Math.max(allowed, used) }, (_, index) => (
        <i key={index} className={`h-3 w-1.25 rounded-[2px] ${colour(index)}`} />
      ))}
    </span>
  );
}
