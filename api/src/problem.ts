import { z } from 'zod';
import { ERRORS, type ErrorCode } from './errors.ts';

/** What is wrong with one field of a request. */
export const issue = z.object({ path: z.string(), message: z.string() });
export type Issue = z.infer<typeof issue>;

/** RFC 9457, with what a program needs to decide by: the code, and whether trying again can help. */
export const problem = z.object({
  type: z.string().describe('A URN of the code.'),
  title: z.string().describe('The same for every problem of the code.'),
  status: z.number(),
  detail: z.string().describe('What is wrong this time, in a sentence.'),
  /** A text, not the enum: a newer server may know codes that this client does not. */
  code: z.string().describe('What to decide by: one of the error table, or of a newer server.'),
  retryable: z.boolean().describe('Whether the same request can succeed later.'),
  correlationId: z.string().describe('Leads to the log of the service.'),
  issues: z.array(issue).optional().describe('What is wrong with which field.'),
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
