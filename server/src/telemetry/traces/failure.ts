import { type Span, SpanStatusCode } from '@opentelemetry/api';
import { classify } from '@millrace/engine';

/** Longer ones are in the job's record and in the log. */
const LONGEST_MESSAGE = 500;

/** The code and the sentence, as they are stored with the job. Never the stack: it says more than others should know. */
export function recordFailure(span: Span, thrown: unknown, mask: (text: string) => string): void {
  const failure = classify(thrown);
  const aborted = thrown instanceof Error && thrown.name === 'AbortError';
  const code = aborted ? 'aborted' : failure.code;
  const message = mask(failure.message).slice(0, LONGEST_MESSAGE);
  // Azure's exporter leaves out the first, and the message of a status.
  span.setAttributes({ 'error.type': code, 'failure.code': code, 'failure.message': message });
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
