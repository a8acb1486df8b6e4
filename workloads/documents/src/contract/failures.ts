import type { FailureEntry } from '@millrace/workload-kit/contract';

/** Why a document was not made: the codes that its job, its record in Salesforce and the metrics carry. */
export const failures = {
  template_not_found: {
    retryable: false,
    help: 'The template of a document is gone. Upload it again, then enqueue the document again.',
  },
  conversion_timeout: {
    retryable: false,
    help: 'LibreOffice took too long. Make the document smaller, or raise CONVERSION_TIMEOUT. Tried again only where the machine was too busy.',
  },
  conversion_failed: {
    retryable: false,
    help: 'LibreOffice could not convert the document. Make it as DOCX and look what is wrong with it. Tried again only where LibreOffice did not start, or the document could not be handed to it.',
  },
  upload_failed: {
    retryable: true,
    help: 'The document was made and could not be stored. It is tried again.',
  },
  storage_full: {
    retryable: true,
    help: "The document was made, and the Salesforce org has no room for it. Make room in the org's file storage; millrace retry --error storage_full tries those again that have given up.",
  },
} as const satisfies Record<string, FailureEntry>;
