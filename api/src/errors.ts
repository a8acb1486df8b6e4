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
    title: 'No such route',
    help: 'Look the path up at /docs/reference. A worker without an API serves health and worker routes only.',
  },
  conflict: {
    status: 409,
    retryable: false,
    title: 'The current state does not allow this',
    help: 'Often there is nothing to change: the detail says why.',
  },
  request_timeout: {
    status: 408,
    retryable: true,
    title: 'The request took too long to arrive',
    help: 'Send it again over a faster connection, or in smaller parts.',
  },
  too_large: {
    status: 413,
    retryable: false,
    title: 'The request is too large',
    help: 'Send at most 2 MiB at once, and 10 MB to /generate (MILLRACE_GENERATE_LIMIT): split a batch, or store large data elsewhere and pass its address.',
  },
  too_many_large: {
    status: 503,
    retryable: true,
    denied: true,
    title: 'Too many large requests at once',
    help: 'Send them one after the other: the total size of requests in one process is limited, and one caller gets two thirds of it.',
  },
  headers_too_large: {
    status: 431,
    retryable: false,
    title: 'The headers are too large',
    help: 'Send at most 16 KiB of headers. Usual causes: a token with very many claims, or many cookies.',
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
    title: 'Unknown host name',
    help: 'Use localhost or a loopback address, or set HOST to the name under which others reach the server.',
  },
  origin_not_allowed: {
    status: 403,
    retryable: false,
    title: 'Cross-origin request refused',
    help: 'Only pages of the same origin may send requests that change something.',
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
    title: 'The token has expired',
    help: 'Get a new one; "millrace login" signs in again.',
  },
  token_invalid: {
    status: 401,
    retryable: false,
    title: 'Invalid token',
    help: 'Get a new one from the issuer that /signin names. Only RS256 signatures are accepted.',
  },
  wrong_issuer: {
    status: 403,
    retryable: false,
    title: 'The token is from another issuer',
    help: 'Get one from the issuer that /signin names. Entra ID has two issuer forms (v1 and v2): see docs/identity.md.',
  },
  wrong_audience: {
    status: 403,
    retryable: false,
    title: 'The token is for another service',
    help: 'Request the scope that /signin names. Entra ID has two forms of a service’s name, and AUDIENCE must list both: see docs/identity.md.',
  },
  role_missing: {
    status: 403,
    retryable: false,
    title: 'Your role does not allow this',
    help: 'Ask an administrator of the app registration for the role that the detail names.',
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
    title: 'You have no access to this tenant',
    help: 'Use one of your tenants, or leave the tenant out. "millrace whoami" lists yours.',
  },
  identity_unavailable: {
    status: 503,
    retryable: true,
    title: 'Tokens cannot be checked now',
    help: 'The issuer’s keys have not been fetched yet. Check JWKS_URI and that the server can reach it.',
  },

  // What the engine refuses.
  unknown_kind: {
    status: 404,
    retryable: false,
    title: 'Unknown kind',
    help: '"millrace kinds" lists the kinds of this server.',
  },
  kind_not_public: {
    status: 403,
    retryable: false,
    title: 'The kind is internal',
    help: 'Declare it with public: true to let it be enqueued from outside.',
  },
  invalid_payload: {
    status: 400,
    retryable: false,
    title: 'The data does not match the schema of the kind',
    help: 'The detail names the fields; "millrace kinds" shows the schema.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    title: 'The data is too large',
    help: 'A job holds at most 1 MiB of JSON: store large data elsewhere and pass its address.',
  },
  invalid_text: {
    status: 400,
    retryable: false,
    title: 'A text has characters that cannot be stored, or is too long',
    help: 'Remove NUL characters and broken Unicode, and keep to the length that the detail names.',
  },
  invalid_run_at: {
    status: 400,
    retryable: false,
    title: 'Invalid time to run',
    help: 'Give either a time in the next ten years or a delay, not both.',
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
    title: 'Invalid key',
    help: 'A key has 1 to 255 characters and does not begin with millrace:. Its window is at most ten years.',
  },
  key_taken: {
    status: 409,
    retryable: false,
    title: 'The key belongs to somebody else’s job',
    help: 'Choose another key, for example one with your name in it. An operator can see whose job has it.',
  },
  invalid_cursor: {
    status: 400,
    retryable: false,
    title: 'Invalid cursor',
    help: 'Pass `next` of the previous page unchanged, with the same filter.',
  },
  invalid_schedule: {
    status: 400,
    retryable: false,
    title: 'Invalid schedule',
    help: 'Check the cron expression and the time zone.',
  },
  quota_exceeded: {
    status: 429,
    retryable: true,
    title: 'The quota is used up',
    help: 'Try again when some of the tenant’s jobs have ended, or raise the quota of the kind.',
  },
  job_not_found: {
    status: 404,
    retryable: false,
    title: 'Job not found',
    help: 'It never existed, or was deleted when its retention ended.',
  },
  schedule_not_found: {
    status: 404,
    retryable: false,
    title: 'Schedule not found',
    help: 'GET /schedules lists them. A job file declares one with defineSchedule.',
  },
  bulk_not_found: {
    status: 404,
    retryable: false,
    title: 'Bulk action not found',
    help: 'Bulk actions are kept for 7 days. Create it again with POST /bulk.',
  },
  saved_not_found: {
    status: 404,
    retryable: false,
    title: 'You have nothing saved under this name',
    help: 'GET /saved lists what you saved in this tenant. Each of your tenants has its own list.',
  },
  saved_full: {
    status: 409,
    retryable: false,
    title: 'Too many saved items',
    help: 'Each person can save 100 views and 100 batches per tenant: delete one first.',
  },
  replica_not_found: {
    status: 404,
    retryable: false,
    title: 'Replica not found',
    help: 'GET /replicas lists the replicas seen in the last hour.',
  },
  illegal_transition: {
    status: 409,
    retryable: false,
    title: 'The job’s state does not allow this',
    help: 'Fetch the job again: the detail names its state.',
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
    title: 'This store does not support it',
    help: 'docs/guarantees.md says which stores do.',
  },
  invalid_definition: {
    status: 500,
    retryable: false,
    title: 'Invalid definition',
    help: 'The detail says what is wrong in the job file.',
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
    help: 'Close some, or connect to another replica.',
  },
  internal: {
    status: 500,
    retryable: true,
    title: 'Internal error',
    help: 'The server’s log has the details under the correlation id.',
  },
  /** Made by the client: what answered does not speak this API. */
  unexpected_answer: {
    status: 502,
    retryable: true,
    title: 'The response is not from Millrace',
    help: 'Check the address, and that client and server have the same version.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** Those of the service itself and of the workloads. */
export const ERRORS = { ...CORE, ...errors };

export type ErrorCode = keyof typeof ERRORS;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
