/** Exit codes. The help and docs/cli.md show this table; a test compares them. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'done' },
  failed: {
    code: 1,
    meaning: 'the job, rows of the batch, the template or the run failed',
  },
  usage: { code: 2, meaning: 'wrong usage' },
  notFound: {
    code: 3,
    meaning: 'no such job, kind, schedule, template, batch, file, report, pipeline, run',
  },
  refused: { code: 4, meaning: 'refused: invalid, or not possible in the current state' },
  unreachable: {
    code: 5,
    meaning: 'the server or its issuer cannot be reached, or is unavailable',
  },
  signIn: { code: 6, meaning: 'not signed in, or not allowed' },
  defect: { code: 70, meaning: 'a bug in millrace, or it is not built' },
  interrupted: { code: 130, meaning: 'interrupted' },
} as const;

type ExitName = keyof typeof EXIT_CODES;
export type ExitCode = number;

export const EXIT = Object.fromEntries(
  Object.entries(EXIT_CODES).map(([name, { code }]) => [name, code]),
) as { readonly [Name in ExitName]: ExitCode };
