/**
 * The one table of what can go wrong. A status and whether trying again can help are properties of the
 * code; the sentence that names the offending value is written where the refusal happens.
 */
export const ERRORS = {
  // The request itself.
  invalid_request: { status: 400, retryable: false, title: 'The request is not as documented' },
  not_found: { status: 404, retryable: false, title: 'There is nothing at this address' },
  conflict: { status: 409, retryable: false, title: 'It is so already' },
  too_large: { status: 413, retryable: false, title: 'The request is too large' },
  unsupported_media_type: { status: 415, retryable: false, title: 'Send JSON' },
  host_not_allowed: { status: 421, retryable: false, title: 'This host name is not served here' },
  origin_not_allowed: { status: 403, retryable: false, title: 'Another site asked for this' },

  // What the engine refuses.
  unknown_kind: { status: 404, retryable: false, title: 'There is no such kind' },
  kind_not_public: { status: 403, retryable: false, title: 'The kind is not public' },
  invalid_payload: { status: 400, retryable: false, title: 'The data does not fit the kind' },
  payload_too_large: { status: 413, retryable: false, title: 'The data is too large' },
  invalid_text: { status: 400, retryable: false, title: 'A text cannot be stored' },
  invalid_run_at: { status: 400, retryable: false, title: 'The time to run is not possible' },
  invalid_priority: { status: 400, retryable: false, title: 'The priority is out of range' },
  invalid_key: { status: 400, retryable: false, title: 'The key is not possible' },
  invalid_cursor: { status: 400, retryable: false, title: 'The cursor is not from this list' },
  invalid_filter: { status: 400, retryable: false, title: 'The filter is not possible' },
  invalid_schedule: { status: 400, retryable: false, title: 'The schedule is not possible' },
  quota_exceeded: { status: 429, retryable: true, title: 'The quota is used up' },
  job_not_found: { status: 404, retryable: false, title: 'There is no such job' },
  illegal_transition: { status: 409, retryable: false, title: 'The job is in another state' },
  store_unavailable: { status: 503, retryable: true, title: 'The store does not answer' },
  unsupported_by_store: { status: 501, retryable: false, title: 'The store cannot do this' },
  invalid_definition: { status: 500, retryable: false, title: 'A definition is wrong' },

  // Webhooks.
  invalid_webhook: { status: 400, retryable: false, title: 'The webhook address is refused' },
  webhooks_off: { status: 501, retryable: false, title: 'Webhooks are not set up' },

  // Ours.
  internal: { status: 500, retryable: true, title: 'Something went wrong in the service' },
  /** Made by the client: what answered does not speak this API. */
  unexpected_answer: { status: 502, retryable: true, title: 'The answer is not from Millrace' },
} as const satisfies Record<string, ErrorEntry>;

interface ErrorEntry {
  readonly status: number;
  readonly retryable: boolean;
  readonly title: string;
}

export type ErrorCode = keyof typeof ERRORS;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
