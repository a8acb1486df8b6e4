import { TemplateError } from '@millrace/docx';
import { OfficeError } from '@millrace/office';
import type { WorkloadProblem } from '@millrace/workload-kit';
import { DocumentError, reasonOf } from './errors.ts';

/** What the documents refuse, and what LibreOffice does, as the caller is answered. */
export function toProblem(thrown: unknown): WorkloadProblem | null {
  if (thrown instanceof DocumentError && thrown.code !== 'unknown')
    return problem(thrown.code, thrown.message, thrown.retryable);
  if (thrown instanceof OfficeError && thrown.code === 'office_missing')
    return problem('office_missing', thrown.message, false);
  if (!(thrown instanceof OfficeError || thrown instanceof TemplateError)) return null;
  const { reason, retryable } = reasonOf(thrown);
  return reason === 'unknown' ? null : problem(reason, thrown.message, retryable);
}

/** The table says what is usual; this one may be worth another try, as when LibreOffice had no processor. */
function problem(code: string, detail: string, retryable: boolean): WorkloadProblem {
  return { code, detail, ...(retryable && { retryable }) };
}
