import { fill, texts } from 'c/docgenTexts';

/**
 * What a failed call says, as one sentence. Apex that refuses on purpose throws AuraHandledException: its message is
 * for people. Any other exception is a fault, and its message is for the administrator. Stack traces stay out.
 */
export function sentenceOf(error) {
  const body = Array.isArray(error?.body) ? error.body[0] : error?.body;
  const message = messageOf(body);
  if (message && isFault(body)) return fill(texts.errorUnexpected, message);
  if (message) return message;
  if (isOffline(error)) return texts.errorOffline;
  return error?.message ? fill(texts.errorUnexpected, error.message) : texts.errorNothing;
}

function isFault(body) {
  return Boolean(body.exceptionType) && !body.exceptionType.endsWith('AuraHandledException');
}

/** A refusal by a validation rule or a trigger comes as a list of errors of the page, or by field. */
function messageOf(body) {
  if (typeof body === 'string') return body.trim();
  const fieldErrors = Object.values(body?.fieldErrors ?? {}).flat();
  const [first] = [...(body?.pageErrors ?? []), ...fieldErrors];
  return (first?.message ?? body?.message ?? '').trim();
}

/** A call that never reached the server has no body, and a status of 0 or none. */
function isOffline(error) {
  return error?.status === 0 || error?.message === 'Failed to fetch' || !navigator.onLine;
}
