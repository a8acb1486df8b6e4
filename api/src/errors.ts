import { type ErrorEntry } from '@millrace/workload-kit/contract';
import { errors } from '@millrace/workloads/contracts';

/**
 * The one table of what can go wrong. Status, whether trying again can help, and what to do are properties
 * of the code; the sentence that names the offending value is written where the refusal happens.
 * docs/errors.md is this table.
 */
const CORE = {
  // The request itself.
  invalid_request: {
    status: 400,
    retryable: false,
    title: 'The request is not as documented',
    help: 'Compare it with /docs/reference; `issues` names each field that is wrong.',
  },
  not_found: {
    status: 404,
    retryable: false,
    title: 'There is nothing at this address',
    help: 'Look the path up at /docs/reference. A worker without an API serves health and worker routes only.',
  },
  conflict: {
    status: 409,
    retryable: false,
    title: 'It is so already',
    help: 'Nothing was changed, and nothing needs to be.',
  },
  request_timeout: {
    status: 408,
    retryable: true,
    title: 'The request came too slowly',
    help: 'Send it again, over a faster line or in smaller parts.',
  },
  too_large: {
    status: 413,
    retryable: false,
    title: 'The request is too large',
    help: 'Send at most 2 MiB at once, and 10 MB to /generate (MILLRACE_GENERATE_LIMIT): split a batch, or put large data elsewhere and name it.',
  },
  too_many_large: {
    status: 503,
    retryable: true,
    denied: true,
    title: 'Too many large requests at once',
    help: 'Send them one after the other: only so many bytes of requests are in the process at the same time, of one caller two thirds of that.',
  },
  headers_too_large: {
    status: 431,
    retryable: false,
    title: 'The headers are too large',
    help: 'Send at most 16 KiB of headers. A token with very many claims or cookies may be the reason.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'Send JSON',
    help: 'Set content-type: application/json.',
  },
  host_not_allowed: {
    status: 421,
    retryable: false,
    title: 'This host name is not served here',
    help: 'Use localhost or a loopback address, or set HOST to what others may reach.',
  },
  origin_not_allowed: {
    status: 403,
    retryable: false,
    title: 'Another site asked for this',
    help: 'A page may change something here only from the same origin.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests',
    help: 'Wait as long as the header Retry-After says. MILLRACE_RATE_LIMIT sets the limit.',
  },

  // The caller.
  unauthenticated: {
    status: 401,
    retryable: false,
    title: 'Sign in first',
    help: 'Send the header authorization: Bearer and a token; "millrace login" gets one.',
  },
  token_expired: {
    status: 401,
    retryable: false,
    title: 'The token has ended',
    help: 'Get a new one; "millrace login" signs in again.',
  },
  token_invalid: {
    status: 401,
    retryable: false,
    title: 'The token is not good',
    help: 'Take a fresh one from the issuer that /signin names. Only RS256 is taken.',
  },
  wrong_issuer: {
    status: 403,
    retryable: false,
    title: 'The token is of another issuer',
    help: 'Ask the issuer that /signin names. Entra ID has two forms (v1 and v2): see docs/identity.md.',
  },
  wrong_audience: {
    status: 403,
    retryable: false,
    title: 'The token is for another service',
    help: 'Ask for the scope that /signin names. Entra ID names a service in two ways, and AUDIENCE has to have both: see docs/identity.md.',
  },
  role_missing: {
    status: 403,
    retryable: false,
    title: 'Your role does not allow this',
    help: 'Ask an administrator of the app registration for the role that the sentence names.',
  },
  tenant_missing: {
    status: 403,
    retryable: false,
    title: 'Your token names no tenant',
    help: 'Ask an administrator for a tenant in the claim that TENANT_CLAIM of the server names, and sign in again.',
  },
  tenant_not_allowed: {
    status: 403,
    retryable: false,
    title: 'The tenant is not one of yours',
    help: 'Name a tenant of yours, or none. "millrace whoami" lists them.',
  },
  identity_unavailable: {
    status: 503,
    retryable: true,
    title: 'Nobody can be identified now',
    help: 'The keys of the issuer could not be fetched yet. Check JWKS_URI and the way to it.',
  },

  // What the engine refuses.
  unknown_kind: {
    status: 404,
    retryable: false,
    title: 'There is no such kind',
    help: '"millrace kinds" lists those there are.',
  },
  kind_not_public: {
    status: 403,
    retryable: false,
    title: 'The kind is not public',
    help: 'Declare it with public: true to let it be enqueued from outside.',
  },
  invalid_payload: {
    status: 400,
    retryable: false,
    title: 'The data does not fit the kind',
    help: 'The sentence names the fields; "millrace kinds" shows the schema.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    title: 'The data is too large',
    help: 'A job takes 1 MiB of JSON: put large data elsewhere and name it.',
  },
  invalid_text: {
    status: 400,
    retryable: false,
    title: 'A text cannot be stored',
    help: 'Remove NUL characters and broken Unicode, and mind the length that the sentence names.',
  },
  invalid_run_at: {
    status: 400,
    retryable: false,
    title: 'The time to run is not possible',
    help: 'Give a moment that is not past and within ten years, or a delay, not both.',
  },
  invalid_priority: {
    status: 400,
    retryable: false,
    title: 'The priority is out of range',
    help: 'Write a whole number from -1000 to 1000.',
  },
  invalid_key: {
    status: 400,
    retryable: false,
    title: 'The key is not possible',
    help: 'A key has 1 to 255 characters and does not begin with millrace:, its window is at most ten years.',
  },
  key_taken: {
    status: 409,
    retryable: false,
    title: 'The key is somebody else’s',
    help: 'Choose another key, such as one with your name in it. An operator can see whose job has it.',
  },
  invalid_cursor: {
    status: 400,
    retryable: false,
    title: 'The cursor is not from this list',
    help: 'Take `next` of the page before as it is, with the same filter.',
  },
  invalid_schedule: {
    status: 400,
    retryable: false,
    title: 'The schedule is not possible',
    help: 'Check the cron expression and the time zone.',
  },
  quota_exceeded: {
    status: 429,
    retryable: true,
    title: 'The quota is used up',
    help: 'Try again when some of the tenant’s jobs are done, or raise the quota of the kind.',
  },
  job_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such job',
    help: 'It never existed, or its retention time is over.',
  },
  schedule_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such schedule',
    help: 'GET /schedules lists them. A job file declares one with defineSchedule.',
  },
  bulk_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such bulk action',
    help: 'They are kept for 7 days: freeze its filter again with POST /bulk.',
  },
  saved_not_found: {
    status: 404,
    retryable: false,
    title: 'You have saved nothing under this name',
    help: 'GET /saved lists what is yours in this tenant. Another tenant of yours has its own.',
  },
  saved_full: {
    status: 409,
    retryable: false,
    title: 'There is no room for another',
    help: 'Each person saves up to 100 views and 100 batches in a tenant: delete one first.',
  },
  replica_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such replica',
    help: 'GET /replicas lists those of the last hour.',
  },
  illegal_transition: {
    status: 409,
    retryable: false,
    title: 'The job is in another state',
    help: 'Look at it again: the sentence names its state.',
  },
  store_unavailable: {
    status: 503,
    retryable: true,
    title: 'The store does not answer',
    help: 'Try again in a moment; /readyz says when it is back.',
  },
  unsupported_by_store: {
    status: 501,
    retryable: false,
    denied: true,
    title: 'The store cannot do this',
    help: 'docs/guarantees.md says which store can.',
  },
  invalid_definition: {
    status: 500,
    retryable: false,
    title: 'A definition is wrong',
    help: 'The sentence names the job file’s mistake.',
  },

  // Webhooks.
  invalid_webhook: {
    status: 400,
    retryable: false,
    title: 'The webhook address is refused',
    help: 'Use https and a public host, or allow the host with MILLRACE_WEBHOOK_ALLOW.',
  },
  webhooks_off: {
    status: 501,
    retryable: false,
    denied: true,
    title: 'Webhooks are not set up',
    help: 'Set MILLRACE_WEBHOOK_SECRET.',
  },

  // Ours.
  too_many_streams: {
    status: 503,
    retryable: true,
    denied: true,
    title: 'Too many live streams are open',
    help: 'Close some, or ask another replica.',
  },
  internal: {
    status: 500,
    retryable: true,
    title: 'Something went wrong in the service',
    help: 'The log has more under the correlation id.',
  },
  /** Made by the client: what answered does not speak this API. */
  unexpected_answer: {
    status: 502,
    retryable: true,
    title: 'The answer is not from Millrace',
    help: 'Check the address, and that client and server are of the same version.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** Those of the service itself and of the workloads. */
export const ERRORS = { ...CORE, ...errors };

export type ErrorCode = keyof typeof ERRORS;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
