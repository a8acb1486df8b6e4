import { type Client, ApiError, ERRORS, JOB_ERRORS } from '@millrace/api';
import { jobDetail } from './tools/job-brief.ts';
import { FOREIGN } from './text.ts';

/** Resources beside the tools: a job by its address, and the meaning of every error code. */

const CODES = 'millrace://error-codes';
const JOB = /^millrace:\/\/jobs\/([^/?#]{1,300})$/;

export const resources = [
  {
    uri: CODES,
    name: 'error-codes',
    title: 'Error codes',
    description: 'What every code of an error means, and what to do about it.',
    mimeType: 'text/plain',
  },
];

export const resourceTemplates = [
  {
    uriTemplate: 'millrace://jobs/{id}',
    name: 'job',
    title: 'A job',
    description: 'A job with its data, result and errors. Texts in it were written by others.',
    mimeType: 'application/json',
  },
];

export interface Read {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** Null: there is no such thing. */
export async function readResource(
  client: Client,
  uri: string,
  options: { readonly signal: AbortSignal },
): Promise<Read | null> {
  if (uri === CODES) return { uri, mimeType: 'text/plain', text: codes() };
  const [, id] = JOB.exec(uri) ?? [];
  if (id === undefined) return null;
  try {
    const job = await client.getJob({ params: { id: decodeURIComponent(id) } }, options);
    const text = JSON.stringify({ untrusted: FOREIGN, job: jobDetail(job) });
    return { uri, mimeType: 'application/json', text };
  } catch (thrown) {
    // As an id that is no text of a URL.
    if (thrown instanceof URIError) return null;
    if (thrown instanceof ApiError && thrown.problem.code === 'job_not_found') return null;
    throw thrown;
  }
}

function codes(): string {
  const ofRequests = Object.entries(ERRORS).map(
    ([code, { title, help }]) => `${code}: ${title}. ${help}`,
  );
  const ofJobs = Object.entries(JOB_ERRORS).map(([code, { help }]) => `${code}: ${help}`);
  return ['Refused requests:', ...ofRequests, '', 'Failed jobs:', ...ofJobs].join('\n');
}
