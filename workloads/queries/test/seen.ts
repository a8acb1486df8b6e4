import type { TaskStatus } from '@millrace/marketing-cloud';
import { POLL_CONFIG } from '../src/poll/config.ts';
import type { PollData } from '../src/poll/data.ts';
import { type Seen, type Step, type Unanswered, decide } from '../src/poll/decide.ts';

const START = Date.parse('2026-01-31T09:00:00.000Z');
export const AT = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

export const DATA: PollData = {
  runId: 'run-1',
  tenantId: '',
  userId: 'ada',
  mid: '100001',
  taskId: 't-1',
  pollCount: 1,
  pollStartedAt: AT(0),
};

export function says(status: string | null, more: Partial<TaskStatus> = {}): TaskStatus {
  return {
    taskId: 't-1',
    status,
    statusMessage: null,
    errorMsg: null,
    startDate: null,
    completedDate: null,
    ...more,
  };
}

export const NO_ANSWER: Unanswered = { unanswered: 'away', retryAfterMs: null, throttled: false };
export const THROTTLED: Unanswered = {
  unanswered: 'slower',
  retryAfterMs: 45_000,
  throttled: true,
};

/** What was seen so many seconds after the start; `random` 0.5 is no jitter. */
export function seen(
  seconds: number,
  given: Partial<Omit<Seen, 'data' | 'run'>> & { data?: Partial<PollData> } = {},
  run: Partial<Seen['run']> = {},
): Step {
  const { data, ...rest } = given;
  return decide(
    {
      run: { state: 'PROCESSING', asText: false, mceStatus: null, ...run },
      now: START + seconds * 1_000,
      random: 0.5,
      data: { ...DATA, ...data },
      ...rest,
    },
    POLL_CONFIG,
  );
}

/** A step in a word and what counts about it. */
export function word(step: Step): string {
  switch (step.type) {
    case 'ask':
      return `ask ${step.what}`;
    case 'defer':
      return `defer ${step.afterMs}`;
    case 'ready':
      return `ready ${step.rowCount} by ${step.by}`;
    case 'failed':
      return `failed ${step.code}`;
    case 'rerun':
    case 'over':
      return step.type;
  }
}
