import type { Job } from './job.ts';

type Failure = Pick<NonNullable<Job['error']>, 'code' | 'message'>;

/** The code, where somebody gave the error one: `unknown` is that of a plain \`throw\`, whose message has its name. */
export function ownCode({ code }: Pick<Failure, 'code'>): string | null {
  return code === 'unknown' ? null : code;
}

/** For people: what was thrown, by its name or code, and its message. */
export function failureInWords(failure: Failure): string {
  const code = ownCode(failure);
  return code === null ? failure.message : `${code}: ${failure.message}`;
}
