const { setStage } = require('../../docgenTexts/__tests__/stage.cjs');

setStage();
const {
  STEPS,
  canCancel,
  downloadUrlOf,
  elapsedWords,
  failureOf,
  previewOf,
  reuseOf,
  sayingOf,
  stateOf,
  timeWords,
} = require('c/docgenStatus');

describe('states', () => {
  it.each([
    ['QUEUED', 'Queued', false, true, false],
    ['PROCESSING', 'In progress', false, true, false],
    ['SUCCEEDED', 'Done', true, false, false],
    ['FAILED', 'Failed', true, false, true],
    ['CANCELED', 'Canceled', true, false, true],
  ])('%s: %s, over %p, cancel %p, retry %p', (status, word, over, cancel, retry) => {
    expect(stateOf(status)).toMatchObject({ word, over, canCancel: cancel, canRetry: retry });
    expect(stateOf(status).icon).toMatch(/^utility:/);
    expect(stateOf(status).badge).toMatch(/^slds-/);
  });

  it('are told apart by their icons, not by colour alone', () => {
    const icons = ['QUEUED', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CANCELED'].map(
      (status) => stateOf(status).icon,
    );
    expect(new Set(icons).size).toBe(5);
  });

  it('take an unknown status for one that goes on', () => {
    expect(stateOf('ON_HOLD')).toMatchObject({ word: 'ON_HOLD', over: false, canRetry: false });
    expect(stateOf(undefined)).toMatchObject({ word: '', over: false });
  });

  it('stand on a step of the progress, but for a canceled one', () => {
    const steps = STEPS.map(({ value }) => value);
    for (const status of ['QUEUED', 'PROCESSING', 'SUCCEEDED', 'FAILED'])
      expect(steps).toContain(stateOf(status).step);
    expect(stateOf('CANCELED').step).toBeUndefined();
  });
});

describe('sentences', () => {
  it.each([
    [{ status: 'QUEUED' }, 'Your document is waiting for its turn.'],
    [
      { status: 'QUEUED', attempts: 2 },
      'Failed attempts: 2. Your document is waiting for the next one.',
    ],
    [{ status: 'PROCESSING', attempts: 2 }, 'Your document is being made.'],
    [
      { status: 'SUCCEEDED', outputFileId: '068', contentDocumentId: '069' },
      'Your document is ready.',
    ],
    [
      { status: 'SUCCEEDED', outputFileId: '068', contentDocumentId: null },
      'Your document was made, but its file was deleted or is not shared with you.',
    ],
    [{ status: 'FAILED' }, 'Your document could not be made.'],
    [{ status: 'CANCELED' }, 'Your document was canceled.'],
    [{ status: 'ON_HOLD' }, 'ON_HOLD'],
  ])('%p: %s', (document, saying) => {
    expect(sayingOf(document)).toBe(saying);
  });

  it('say that a cancel is under way, until it is over', () => {
    const cancelRequested = true;
    expect(sayingOf({ status: 'PROCESSING', cancelRequested })).toBe('Canceling…');
    expect(canCancel({ status: 'PROCESSING', cancelRequested })).toBe(false);
    expect(canCancel({ status: 'PROCESSING', cancelRequested: false })).toBe(true);
    expect(sayingOf({ status: 'CANCELED', cancelRequested })).toBe('Your document was canceled.');
  });
});

describe('failures', () => {
  it.each([
    ['template_not_found', /template is gone/],
    ['validation_error', /do not fit together/],
    ['conversion_timeout', /too long/],
    ['timeout', /too long/],
    ['conversion_failed', /the other format/],
    ['upload_failed', /stored in Salesforce/],
    ['storage_full', /no room for files/],
    ['worker_lost', /service stopped/],
    ['unknown', /unexpected/],
    ['something_new', /unexpected/],
    [undefined, /unexpected/],
  ])('%s has a reason in words', (errorCode, words) => {
    expect(failureOf({ status: 'FAILED', errorCode }).reason).toMatch(words);
  });

  it('keep what the service said, on one line and not too long', () => {
    const failure = (error) => failureOf({ status: 'FAILED', error }).detail;
    expect(failure('  {{Account.Nam}} is\n not in the data. ')).toBe(
      '{{Account.Nam}} is not in the data.',
    );
    expect(failure('x'.repeat(301))).toBe(`${'x'.repeat(300)}…`);
    expect(failure('x'.repeat(300))).toBe('x'.repeat(300));
    expect(failure(undefined)).toBe('');
  });

  it('are for failed documents alone', () => {
    expect(failureOf({ status: 'QUEUED', error: 'the attempt before' })).toBeUndefined();
  });
});

describe('files', () => {
  const made = { status: 'SUCCEEDED', outputFileId: '068A', contentDocumentId: '069A' };

  it.each([
    [undefined, '/sfc/servlet.shepherd/version/download/068A'],
    ['', '/sfc/servlet.shepherd/version/download/068A'],
    ['/portal', '/portal/sfc/servlet.shepherd/version/download/068A'],
    ['portal/s/', '/portal/sfc/servlet.shepherd/version/download/068A'],
    ['//elsewhere.example', '/elsewhere.example/sfc/servlet.shepherd/version/download/068A'],
    ['javascript:x', '/javascript%3Ax/sfc/servlet.shepherd/version/download/068A'],
  ])('are downloaded below the site (%p)', (sitePath, url) => {
    expect(downloadUrlOf(made, sitePath)).toBe(url);
  });

  it('are there only for a document that is done and has one', () => {
    expect(downloadUrlOf({ ...made, status: 'FAILED' })).toBeUndefined();
    expect(downloadUrlOf({ ...made, outputFileId: null })).toBeUndefined();
    expect(downloadUrlOf({ ...made, contentDocumentId: null })).toBeUndefined();
    expect(previewOf({ ...made, status: 'PROCESSING' })).toBeUndefined();
    expect(previewOf({ ...made, contentDocumentId: null })).toBeUndefined();
  });

  it('are previewed by their document', () => {
    expect(previewOf(made)).toEqual({
      type: 'standard__namedPage',
      attributes: { pageName: 'filePreview' },
      state: { selectedRecordId: '069A' },
    });
  });
});

describe('times', () => {
  it.each([
    [0, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min 00 s'],
    [3_725_000, '62 min 05 s'],
    [-1, '0 s'],
  ])('%d ms are %s', (milliseconds, words) => {
    expect(elapsedWords(milliseconds)).toBe(words);
  });

  // The stand-in for the user's time zone is Los Angeles: 17:42 UTC is 10:42 there in July.
  const made = '2026-07-27T17:42:00.000Z';
  const plain = (text) => text.replace(/\s/g, ' ');

  it('have the time of today in the time zone of the user, and the date of another day', () => {
    expect(plain(timeWords(made, Date.parse('2026-07-28T06:00:00Z')))).toBe('10:42 AM');
    expect(plain(timeWords(made, Date.parse('2026-07-28T08:00:00Z')))).toBe(
      'Jul 27, 2026, 10:42 AM',
    );
  });

  it('say when a reused document was made', () => {
    jest.useFakeTimers({ now: Date.parse('2026-07-27T20:00:00Z') });
    const document = { status: 'SUCCEEDED', outputFileId: '068A', createdDate: made };
    expect(plain(reuseOf(document))).toBe(
      'It was made at 10:42 AM, within the last day. Nothing has changed since, so this is the same file.',
    );
    jest.useRealTimers();
  });

  it('say of a reused document that is under way that it is followed, and nothing of a failed one', () => {
    expect(reuseOf({ status: 'PROCESSING', createdDate: made })).toBe(
      'The same document was asked for already. You follow that one.',
    );
    expect(reuseOf({ status: 'FAILED', createdDate: made })).toBeUndefined();
  });
});
