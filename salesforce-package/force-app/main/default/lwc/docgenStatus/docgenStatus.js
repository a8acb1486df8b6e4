import LOCALE from '@salesforce/i18n/locale';
import TIME_ZONE from '@salesforce/i18n/timeZone';
import { fill, texts } from 'c/docgenTexts';

/**
 * The states of Generated_Document__c, as people see them. `over` means that nothing changes any more unless
 * someone asks for it. `step` is the place on the progress indicator; a canceled document has none.
 */
const STATES = {
  QUEUED: state(texts.queued, texts.saysQueued, {
    icon: 'utility:clock',
    badge: 'slds-badge_lightest',
    step: 'queued',
    canCancel: true,
  }),
  PROCESSING: state(texts.processing, texts.saysProcessing, {
    icon: 'utility:sync',
    badge: 'slds-theme_info',
    step: 'processing',
    canCancel: true,
  }),
  SUCCEEDED: state(texts.succeeded, texts.saysSucceeded, {
    icon: 'utility:success',
    variant: 'success',
    badge: 'slds-theme_success',
    step: 'succeeded',
    over: true,
  }),
  FAILED: state(texts.failed, texts.saysFailed, {
    icon: 'utility:error',
    variant: 'error',
    badge: 'slds-theme_error',
    step: 'processing',
    over: true,
    canRetry: true,
  }),
  CANCELED: state(texts.canceled, texts.saysCanceled, {
    icon: 'utility:ban',
    badge: 'slds-theme_shade',
    over: true,
    canRetry: true,
  }),
};

function state(word, saying, looks) {
  return Object.freeze({ over: false, canCancel: false, canRetry: false, ...looks, word, saying });
}

/** A status that someone added to the picklist is shown as it is, and taken for one that goes on. */
export function stateOf(status) {
  return (
    STATES[status] ?? state(status ?? '', status ?? '', { icon: 'utility:question', badge: '' })
  );
}

/** The steps of the progress indicator. */
export const STEPS = Object.freeze([
  { value: 'queued', label: texts.queued },
  { value: 'processing', label: texts.processing },
  { value: 'succeeded', label: texts.succeeded },
]);

/** A cancel was asked for and has not come through yet. */
export function isCanceling({ status, cancelRequested }) {
  return Boolean(cancelRequested) && !stateOf(status).over;
}

export function canCancel(document) {
  return stateOf(document.status).canCancel && !isCanceling(document);
}

/** The id of a file stays on the record; its ContentDocument is there only for those who may see the file. */
function hasFile({ status, outputFileId, contentDocumentId }) {
  return status === 'SUCCEEDED' && Boolean(outputFileId && contentDocumentId);
}

/** The sentence of a document. */
export function sayingOf(document) {
  if (isCanceling(document)) return texts.saysCanceling;
  if (document.status === 'QUEUED' && document.attempts > 0)
    return fill(texts.saysRetrying, document.attempts);
  if (document.status === 'SUCCEEDED' && !hasFile(document)) return texts.saysNoFile;
  return stateOf(document.status).saying;
}

const REASONS = {
  template_not_found: texts.reasonTemplate,
  validation_error: texts.reasonData,
  conversion_timeout: texts.reasonTimeout,
  timeout: texts.reasonTimeout,
  conversion_failed: texts.reasonConversion,
  upload_failed: texts.reasonUpload,
  storage_full: texts.reasonStorage,
  worker_lost: texts.reasonWorker,
};

/** Error__c may have 32,768 characters. A few lines are enough here; the record has the rest. */
const DETAIL_LENGTH = 300;

/** Why a document failed: a sentence by its code, and what the service said of it. Nothing unless it failed. */
export function failureOf(document) {
  if (document.status !== 'FAILED') return undefined;
  const said = (document.error ?? '').replace(/\s+/g, ' ').trim();
  const detail = said.length > DETAIL_LENGTH ? `${said.slice(0, DETAIL_LENGTH)}…` : said;
  return { reason: REASONS[document.errorCode] ?? texts.reasonUnknown, detail };
}

/** What the service warned of while it made the document, such as fields that the data lacks. */
export function warningsOf({ status, warnings }) {
  return status === 'SUCCEEDED' ? (warnings ?? []) : [];
}

/**
 * Where the file of a document is downloaded. `sitePath` is the path of an Experience site (`/portal`, or `/portal/s`
 * as the address bar of an Aura site has it): a file has to be asked for below it.
 */
export function downloadUrlOf(document, sitePath) {
  if (!hasFile(document)) return undefined;
  const parts = (sitePath ?? '').split('/').filter(Boolean);
  if (parts.at(-1) === 's') parts.pop();
  const site = parts.map((part) => `/${encodeURIComponent(part)}`).join('');
  return `${site}/sfc/servlet.shepherd/version/download/${encodeURIComponent(document.outputFileId)}`;
}

/** The page that previews the file of a document, for the navigation service. */
export function previewOf(document) {
  if (!hasFile(document)) return undefined;
  return {
    type: 'standard__namedPage',
    attributes: { pageName: 'filePreview' },
    state: { selectedRecordId: document.contentDocumentId },
  };
}

export function elapsedWords(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return fill(texts.elapsedSeconds, seconds);
  const rest = String(seconds % 60).padStart(2, '0');
  return fill(texts.elapsedMinutes, Math.floor(seconds / 60), rest);
}

/** The time of day in the user's own time zone; with the date where it was another day. */
export function timeWords(date, now = Date.now()) {
  const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: TIME_ZONE });
  const when = new Date(date);
  const sameDay = day.format(when) === day.format(now);
  return new Intl.DateTimeFormat(LOCALE, {
    ...(sameDay ? {} : { dateStyle: 'medium' }),
    timeStyle: 'short',
    timeZone: TIME_ZONE,
  }).format(when);
}

/** What is said of a document that was there already when someone asked for it. */
export function reuseOf(document) {
  if (!stateOf(document.status).over) return texts.reusedRunning;
  if (document.status !== 'SUCCEEDED' || !document.createdDate) return undefined;
  return fill(texts.reusedMade, timeWords(document.createdDate));
}
