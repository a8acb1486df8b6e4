/**
 * The codes that ErrorCode__c of a record may have, and whether the document is tried again by itself. The record keeps the
 * code alone. Codes that handlers and Apex bring are held against this table by docs/tables.test.ts, and so are the
 * components' sentences and the documentation.
 */
export const RECORD_CODES = {
  template_not_found: { retryable: false },
  validation_error: { retryable: false },
  conversion_timeout: { retryable: false },
  conversion_failed: { retryable: false },
  upload_failed: { retryable: true },
  storage_full: { retryable: true },
  unknown: { retryable: true },
  timeout: { retryable: true },
  result_unstorable: { retryable: false },
  worker_lost: { retryable: false },
  erased: { retryable: false },
  /** Set by the package's Apex: the button's call came too late, or was refused. */
  callout_late: { retryable: true },
  callout_failed: { retryable: true },
} as const satisfies Record<string, { readonly retryable: boolean }>;

/** A code that is not ours (of a kind of people's own) may pass. */
export function isRetryable(code: string): boolean {
  const known: Readonly<Record<string, { readonly retryable: boolean } | undefined>> = RECORD_CODES;
  return known[code]?.retryable ?? true;
}
