import { randomBytes } from 'node:crypto';
import type { Foresight } from './tool.ts';
import { ToolRefusal } from './refusal.ts';

/** Long enough to ask a person; what was shown is old after that. */
export const CONFIRM_WITHIN_MS = 10 * 60_000;
/** Questions that nobody answers are forgotten, the oldest first. */
const MOST_OPEN = 100;

interface Question {
  readonly asked: string;
  readonly until: number;
  readonly foresight: Foresight;
}

/** The open questions of one session: what another session, or another caller, was given means nothing here. */
export interface Confirmations {
  /** Gives what the second call has to bring. */
  ask(asked: string, foresight: Foresight): { readonly confirm: string; readonly until: number };
  /** Once only. Throws where it was not given for exactly this. */
  take(confirm: string, asked: string): Foresight;
}

export function createConfirmations(now: () => number): Confirmations {
  const open = new Map<string, Question>();
  return {
    ask(asked, foresight) {
      const confirm = randomBytes(12).toString('base64url');
      const until = now() + CONFIRM_WITHIN_MS;
      open.set(confirm, { asked, until, foresight });
      const [oldest] = open.keys();
      if (open.size > MOST_OPEN && oldest !== undefined) open.delete(oldest);
      return { confirm, until };
    },
    take(confirm, asked) {
      const question = open.get(confirm);
      // Also where it does not fit: who tries other arguments with it does not get to try again.
      open.delete(confirm);
      if (question === undefined || question.asked !== asked || question.until < now())
        throw new ToolRefusal(
          'confirmation_invalid',
          'This confirmation is none for this call, was used before, or is too old. Nothing was changed. Call without confirm to be asked again.',
        );
      return question.foresight;
    },
  };
}

/** The same for the same tool and arguments, in whatever order the members come. */
export function askedOf(tool: string, input: unknown): string {
  return JSON.stringify([tool, sorted(input)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, sorted(each)] as const);
  return Object.fromEntries(members);
}
