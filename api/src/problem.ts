import { z } from 'zod';
import { ERRORS, type ErrorCode } from './errors.ts';

/** The problem of one field of a request. */
export const issue = z.object({ path: z.string(), message: z.string() });
export type Issue = z.infer<typeof issue>;

/** RFC 9457, with what a program needs to decide by: the code, and whether trying again can help. */
export const problem = z.object({
  type: z.string().describe('A URN of the code.'),
  title: z.string().describe('The same for every problem with this code.'),
  status: z.number(),
  detail: z.string().describe('One sentence about this occurrence.'),
  /** A text, not the enum: a newer server may know codes that this client does not. */
  code: z.string().describe('The code to branch on: one of the error table, or a newer server’s.'),
  retryable: z.boolean().describe('Whether the same request can succeed later.'),
  correlationId: z.string().describe('Finds the request in the server’s log.'),
  issues: z.array(issue).optional().describe('The problem of each invalid field.'),
});
export type Problem = z.infer<typeof problem>;

export const PROBLEM_TYPE = 'application/problem+json';

export function problemOf(
  code: ErrorCode,
  detail: string,
  correlationId: string,
  issues?: readonly Issue[],
): Problem {
  const { status, retryable, title } = ERRORS[code];
  return {
    type: `urn:millrace:error:${code}`,
    title,
    status,
    detail,
    code,
    retryable,
    correlationId,
    ...(issues !== undefined && { issues: [...issues] }),
  };
}
