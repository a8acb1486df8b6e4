import { kindName } from '@millrace/workload-kit/contract';
import { z } from 'zod';

/**
 * A server of this user on this machine, as advertised to the command line while it runs: one file each, which nobody else may
 * read. What lets a program in (`client`) is made at each start, so that the file of a process that was killed opens nothing.
 */
export const runningServer = z.object({
  url: z.string(),
  /** The folder that it was started in. */
  folder: z.string(),
  pid: z.int(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  /** Null where it has an issuer that is not its own, or asks nobody who they are. */
  client: z
    .object({
      issuer: z.string(),
      scope: z.string(),
      clientId: z.string(),
      clientSecret: z.string(),
    })
    .nullable(),
  /** The simulated Salesforce org that it works for, and the page to look at it. */
  simulatedOrg: z.object({ kind: kindName, page: z.string() }).nullable(),
});
export type RunningServer = z.infer<typeof runningServer>;

/** Where those files are. As freedesktop.org's base directories have it: a relative XDG_STATE_HOME is to be ignored. */
export function runningFolder(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const given = env['XDG_STATE_HOME'] ?? '';
  const state = given.startsWith('/') ? given : `${home}/.local/state`;
  return `${state}/millrace/running`;
}
