import type { FailureEntry } from '@millrace/workload-kit/contract';

/** Why a run failed: `error.code` of the run and of its job. */
export const failures = {
  source_unavailable: {
    retryable: true,
    help: 'The database of the reports does not answer, or was started again. The run goes on from its last saved chunk.',
  },
  source_timeout: {
    retryable: true,
    help: 'A statement took longer than REPORTS_STATEMENT_TIMEOUT. Give the report an index on its keys, narrow its parameters, or raise the setting.',
  },
  source_refused: {
    retryable: false,
    help: 'The database refused the SQL of the report; the sentence has its words. Correct the file.',
  },
  totals_refused: {
    retryable: false,
    help: 'The SQL counts, sums or picks rows, and the row rules of the run cannot be put before that: a total would be of rows that its reader must not see. The sentence says what to write.',
  },
  null_in_key: {
    retryable: false,
    help: 'A key column has a NULL, and rows with it would be left out without a word. Name keys that are NOT NULL.',
  },
  key_not_unique: {
    retryable: false,
    help: 'Several rows have one key, and a run that goes on between them would leave some out. Name more columns as the key.',
  },
  row_refused: {
    retryable: false,
    help: 'A row cannot be computed or written. The sentence says what is wrong, without the value: row rules may keep that from you. The log of the server has the words of the database.',
  },
  claim_missing: {
    retryable: false,
    help: 'The row rules need a claim that the identity of the run does not have.',
  },
  parent_gone: {
    retryable: false,
    help: 'A report that this one follows from is no longer kept, so that its parameters are not known. Run this one by itself.',
  },
  parents_differ: {
    retryable: false,
    help: 'The reports that this one follows from ran for people who see different rows. Name a service identity in the rule.',
  },
  invalid_parameters: {
    retryable: false,
    help: 'A rule or a schedule gave parameters that the report does not take. The sentence says which.',
  },
  report_not_found: {
    retryable: false,
    help: 'The definition that the run was submitted with is no longer kept. Run the report again.',
  },
  token_gone: {
    retryable: false,
    help: 'The token that was kept for the run can no longer be read: it is erased at the end of a run, or its key is no longer in REPORTS_TOKEN_KEYS. Submit the report again.',
  },
  output_full: {
    retryable: true,
    help: 'There is no room for the file. Make some; the run goes on from its last saved chunk. docs/operations/runbook.md says where.',
  },
  output_not_writable: {
    retryable: true,
    help: 'The folder of files cannot be written: check the rights of REPORTS_OUTPUT_FOLDER.',
  },
  output_failed: {
    retryable: true,
    help: 'The disk or the object storage failed; the sentence has its words.',
  },
  output_taken: {
    retryable: true,
    help: 'Another execution, or somebody, has removed or completed the file that was being written.',
  },
  output_refused: {
    retryable: false,
    help: 'The object storage refuses; the sentence has its words. Check REPORTS_S3_* and the rights of the key.',
  },
  output_too_large: {
    retryable: false,
    help: 'The file is larger than the object storage takes. Narrow the parameters, or pack it.',
  },
} as const satisfies Record<string, FailureEntry>;
