const { pending, setHidden, setStage, settle } = require('../../docgenTexts/__tests__/stage.cjs');

const { apex, navigate } = setStage();
const { createElement } = require('lwc');
const { notifyRecordUpdateAvailable } = require('lightning/uiRecordApi');
const { listen } = require('c/docgenNews');
const DocgenButton = require('c/docgenButton').default;

const RECORD = '006000000000001AAA';
const QUOTE = { id: 'a01000000000001AAA', name: 'Quote', outputFormat: 'PDF' };
const LETTER = { id: 'a01000000000002AAA', name: 'Letter', outputFormat: 'DOCX' };
const DOC = 'a02000000000001AAA';

const queued = { id: DOC, name: 'GD-00000001', templateName: 'Quote', status: 'QUEUED' };
const processing = { ...queued, status: 'PROCESSING' };
const failed = {
  ...queued,
  status: 'FAILED',
  errorCode: 'conversion_timeout',
  error: 'The conversion took longer than 60 s.',
};
const canceled = { ...queued, status: 'CANCELED' };
const succeeded = {
  ...queued,
  status: 'SUCCEEDED',
  outputFileId: '068000000000001AAA',
  contentDocumentId: '069000000000001AAA',
  createdDate: '2026-07-27T17:42:00.000Z',
};

let button;
let news;
let unlisten;

/** The component on a page, with its templates loaded. */
async function place({ templates = [QUOTE], ...properties } = {}) {
  button = createElement('c-docgen-button', { is: DocgenButton });
  Object.assign(button, { recordId: RECORD, objectApiName: 'Opportunity', ...properties });
  document.body.appendChild(button);
  apex.templates.emit(templates);
  await settle();
}

const find = (selector) => button.shadowRoot.querySelector(selector);
const textOf = (selector) => find(selector)?.textContent.replace(/\s+/g, ' ').trim();
const control = (name) => find(`[data-control="${name}"]`);

async function press(name) {
  control(name).click();
  await settle();
}

async function pick(name, value) {
  control(name).dispatchEvent(new CustomEvent('change', { detail: { value } }));
  await settle();
}

/** Time passes: timers fire, and their answers come. */
async function pass(milliseconds) {
  await jest.advanceTimersByTimeAsync(milliseconds);
  await settle();
}

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2026-07-27T20:00:00Z') });
  apex.generate.mockResolvedValue({ documentId: DOC, status: 'QUEUED', reused: false });
  apex.status.mockResolvedValue(processing);
  apex.cancel.mockResolvedValue(undefined);
  apex.retry.mockResolvedValue(undefined);
  news = [];
  unlisten = listen((recordId) => news.push(recordId));
});

afterEach(() => {
  unlisten();
  button.remove();
  setHidden(false);
  jest.useRealTimers();
  jest.resetAllMocks();
});

describe('choosing', () => {
  it('shows the only template as a text, and takes it', async () => {
    await place();
    expect(control('template')).toBeNull();
    expect(textOf('[data-template]')).toBe('Template: Quote');
    await press('generate');
    expect(apex.generate).toHaveBeenCalledWith({
      templateId: QUOTE.id,
      recordId: RECORD,
      outputFormat: 'PDF',
    });
  });

  it('offers several templates, and takes the format of the chosen one', async () => {
    await place({ templates: [QUOTE, LETTER] });
    expect(control('template').options).toEqual([
      { value: QUOTE.id, label: 'Quote' },
      { value: LETTER.id, label: 'Letter' },
    ]);
    await pick('template', LETTER.id);
    expect(control('format').value).toBe('DOCX');
    await press('generate');
    expect(apex.generate.mock.calls[0][0]).toMatchObject({
      templateId: LETTER.id,
      outputFormat: 'DOCX',
    });
  });

  it('lets people choose the format', async () => {
    await place();
    expect(control('format').options).toEqual([
      { value: 'PDF', label: 'PDF' },
      { value: 'DOCX', label: 'Word (DOCX)' },
    ]);
    await pick('format', 'DOCX');
    await press('generate');
    expect(apex.generate.mock.calls[0][0].outputFormat).toBe('DOCX');
  });

  it.each([
    ['name', 'Letter'],
    ['name with blanks around it', ' Letter '],
    ['id', LETTER.id],
    ['id of 15 characters', LETTER.id.slice(0, 15)],
  ])('begins with the default template, by its %s', async (_, defaultTemplate) => {
    await place({ templates: [QUOTE, LETTER], defaultTemplate });
    expect(control('template').value).toBe(LETTER.id);
    expect(control('format').value).toBe('DOCX');
  });

  it.each([undefined, '', 'Gone', 'a01'])(
    'begins with none where the default is %p',
    async (defaultTemplate) => {
      await place({ templates: [QUOTE, LETTER], defaultTemplate });
      expect(control('template').value).toBeUndefined();
    },
  );

  it('asks for a template where none is chosen, and puts the focus there', async () => {
    await place({ templates: [QUOTE, LETTER] });
    const combobox = control('template');
    combobox.reportValidity = jest.fn();
    combobox.focus = jest.fn();
    expect(combobox.messageWhenValueMissing).toBe('Choose a template first.');
    await press('generate');
    expect(combobox.reportValidity).toHaveBeenCalled();
    expect(combobox.focus).toHaveBeenCalled();
    expect(apex.generate).not.toHaveBeenCalled();
  });

  it('says that there is no template', async () => {
    await place({ templates: [] });
    expect(textOf('[data-notice]')).toMatch(/^No template is set up/);
    expect(control('generate')).toBeNull();
  });

  it('says why the templates cannot be read', async () => {
    await place();
    apex.templates.error({ message: 'You need the permission set Docgen User.' });
    await settle();
    expect(textOf('[data-problem]')).toBe('You need the permission set Docgen User.');
  });

  it('shows that the templates load', async () => {
    button = createElement('c-docgen-button', { is: DocgenButton });
    Object.assign(button, { recordId: RECORD, objectApiName: 'Opportunity' });
    document.body.appendChild(button);
    await settle();
    expect(find('lightning-spinner').alternativeText).toBe('Loading');
    expect(apex.templates.getLastConfig()).toEqual({ objectApiName: 'Opportunity' });
  });

  it('has the label, the variant and the frame it is given', async () => {
    await place({ label: 'Make a quote', variant: 'neutral' });
    expect(control('generate').label).toBe('Make a quote');
    expect(control('generate').variant).toBe('neutral');
    expect(find('.slds-card h2').textContent).toBe('Documents');
    button.remove();
    await place({ bare: true });
    expect(control('generate').label).toBe('Generate');
    expect(find('.slds-card, h2')).toBeNull();
  });

  it('shows the list below where it should', async () => {
    await place();
    expect(find('c-docgen-list')).toBeNull();
    button.remove();
    await place({ showList: true, sitePath: '/portal', hidePreview: true });
    expect(find('c-docgen-list')).toMatchObject({
      recordId: RECORD,
      sitePath: '/portal',
      hidePreview: true,
    });
  });

  it('gives each group of radio buttons its own name', async () => {
    await place();
    const { name } = control('format');
    button.remove();
    await place();
    expect(control('format').name).not.toBe(name);
  });

  it('waits for the record id, which a quick action gives late', async () => {
    await place({ recordId: undefined });
    expect(textOf('[data-notice]')).toBe('This works on the page of a record.');
    expect(control('generate')).toBeNull();
    button.recordId = RECORD;
    await settle();
    expect(find('[data-notice]')).toBeNull();
    await press('generate');
    expect(apex.generate.mock.calls[0][0].recordId).toBe(RECORD);
  });
});

describe('following', () => {
  it('shows starting, queued, in progress with the elapsed time, and done', async () => {
    const call = pending();
    apex.generate.mockReturnValue(call.promise);
    await place();
    await press('generate');
    expect(textOf('[data-saying]')).toBe('Starting…');
    expect(find('lightning-spinner').alternativeText).toBe('Loading');
    expect(find('lightning-progress-indicator')).toBeNull();
    expect(control('cancel')).toBeNull();

    call.resolve({ documentId: DOC, status: 'QUEUED', reused: false });
    await settle();
    expect(textOf('[data-saying]')).toBe('Your document is waiting for its turn.');
    expect(find('lightning-spinner').alternativeText).toBe('Queued');
    expect(find('lightning-progress-indicator')).toMatchObject({
      currentStep: 'queued',
      hasError: false,
    });

    await pass(1000);
    expect(apex.status).toHaveBeenCalledWith({ documentId: DOC });
    expect(textOf('[data-saying]')).toBe('Your document is being made.');
    expect(textOf('[data-elapsed]')).toBe('1 s');
    expect(find('lightning-progress-indicator').currentStep).toBe('processing');
    expect(textOf('[data-names]')).toBe('GD-00000001 · Quote');

    apex.status.mockResolvedValue(succeeded);
    await pass(1000);
    expect(textOf('[data-elapsed]')).toBe('2 s');
    expect(textOf('[data-saying]')).toBe('Your document is being made.');
    await pass(1000);
    expect(textOf('[data-saying]')).toBe('Your document is ready.');
    expect(find('[data-elapsed]')).toBeNull();
    expect(find('lightning-spinner')).toBeNull();
    expect(find('lightning-progress-indicator').currentStep).toBe('succeeded');
    expect(find('lightning-icon')).toMatchObject({
      iconName: 'utility:success',
      variant: 'success',
      alternativeText: 'Done',
    });
  });

  it('has the steps of the progress', async () => {
    await place();
    await press('generate');
    const steps = [...button.shadowRoot.querySelectorAll('lightning-progress-step')];
    expect(steps.map(({ label }) => label)).toEqual(['Queued', 'In progress', 'Done']);
  });

  it('hides what was chosen while it is busy, and a second click starts nothing', async () => {
    const call = pending();
    apex.generate.mockReturnValue(call.promise);
    await place();
    const generate = control('generate');
    generate.click();
    generate.click();
    await settle();
    expect(apex.generate).toHaveBeenCalledTimes(1);
    expect(control('generate')).toBeNull();
    call.resolve({ documentId: DOC, status: 'QUEUED', reused: false });
    await settle();
    expect(control('generate')).toBeNull();
  });

  it('stops asking when it is over', async () => {
    apex.status.mockResolvedValue(succeeded);
    await place();
    await press('generate');
    await pass(1000);
    expect(apex.status).toHaveBeenCalledTimes(1);
    await pass(60_000);
    expect(apex.status).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
    expect(control('generate')).not.toBeNull();
  });

  it('stops asking off the page, and goes on at once when it is back', async () => {
    await place();
    await press('generate');
    await pass(1000);
    button.remove();
    expect(jest.getTimerCount()).toBe(0);
    await pass(60_000);
    expect(apex.status).toHaveBeenCalledTimes(1);
    apex.status.mockResolvedValue(succeeded);
    document.body.appendChild(button);
    await settle();
    expect(apex.status).toHaveBeenCalledTimes(2);
    expect(textOf('[data-saying]')).toBe('Your document is ready.');
  });

  it('follows on return what was started while it was away', async () => {
    const call = pending();
    apex.generate.mockReturnValue(call.promise);
    await place();
    await press('generate');
    button.remove();
    call.resolve({ documentId: DOC, status: 'QUEUED', reused: false });
    await pass(60_000);
    expect(apex.status).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
    document.body.appendChild(button);
    await settle();
    expect(apex.status).toHaveBeenCalledTimes(1);
  });

  it('asks nothing in a hidden tab', async () => {
    await place();
    await press('generate');
    setHidden(true);
    await pass(60_000);
    expect(apex.status).not.toHaveBeenCalled();
    setHidden(false);
    await settle();
    expect(apex.status).toHaveBeenCalledTimes(1);
  });

  it('forgets the document when the record changes, and throws its late answer away', async () => {
    const late = pending();
    apex.status.mockReturnValue(late.promise);
    await place();
    await press('generate');
    await pass(1000);
    button.recordId = '006000000000002AAA';
    late.resolve(succeeded);
    await pass(60_000);
    expect(find('[data-saying]')).toBeNull();
    expect(control('download')).toBeNull();
    expect(control('generate')).not.toBeNull();
    expect(apex.status).toHaveBeenCalledTimes(1);
    expect(notifyRecordUpdateAvailable).not.toHaveBeenCalled();
  });

  it('throws away what another record had started', async () => {
    const call = pending();
    apex.generate.mockReturnValue(call.promise);
    await place();
    await press('generate');
    button.recordId = '006000000000002AAA';
    call.resolve({ documentId: DOC, status: 'QUEUED', reused: false });
    await pass(60_000);
    expect(find('[data-saying]')).toBeNull();
    expect(apex.status).not.toHaveBeenCalled();
  });

  it('says that the attempts failed while it waits for the next', async () => {
    apex.status.mockResolvedValue({ ...queued, attempts: 1 });
    await place();
    await press('generate');
    await pass(1000);
    expect(textOf('[data-saying]')).toMatch(/^Failed attempts: 1\./);
  });

  it('says that the status could not be read, and gives up with a button to check again', async () => {
    apex.status.mockRejectedValue({ body: { message: 'The service is being updated.' } });
    await place();
    await press('generate');
    await pass(1000);
    expect(textOf('[data-note]')).toBe('The status could not be read just now. It is asked again.');
    expect(find('[data-problem]')).toBeNull();
    await pass(2000 + 3000 + 4000 + 5000);
    expect(apex.status).toHaveBeenCalledTimes(5);
    expect(textOf('[data-note]')).toMatch(/^The status could not be read for a while/);
    expect(textOf('[data-problem]')).toBe('The service is being updated.');
    await pass(60_000);
    expect(apex.status).toHaveBeenCalledTimes(5);

    apex.status.mockResolvedValue(processing);
    await press('check');
    expect(apex.status).toHaveBeenCalledTimes(6);
    expect(find('[data-note]')).toBeNull();
    expect(find('[data-problem]')).toBeNull();
    expect(control('check')).toBeNull();
  });

  it('offers to check again though nothing of the document is known yet', async () => {
    apex.generate.mockResolvedValue({ documentId: DOC, status: 'SUCCEEDED', reused: true });
    apex.status.mockRejectedValue({ status: 0 });
    await place();
    await press('generate');
    await pass(60_000);
    expect(textOf('[data-problem]')).toMatch(/^Salesforce could not be reached/);
    expect(textOf('[data-note]')).toMatch(/^The status could not be read for a while/);
    apex.status.mockResolvedValue(succeeded);
    await press('check');
    expect(textOf('[data-saying]')).toBe('Your document is ready.');
  });

  it('takes the note back with the next answer', async () => {
    apex.status.mockRejectedValueOnce({ status: 0 });
    await place();
    await press('generate');
    await pass(1000);
    expect(find('[data-note]')).not.toBeNull();
    await pass(2000);
    expect(find('[data-note]')).toBeNull();
  });
});

describe('the end', () => {
  async function endWith(document, properties) {
    apex.status.mockResolvedValue(document);
    await place(properties);
    await press('generate');
    await pass(1000);
  }

  it('offers the file', async () => {
    await endWith(succeeded);
    expect(control('download').getAttribute('href')).toBe(
      '/sfc/servlet.shepherd/version/download/068000000000001AAA',
    );
    expect(textOf('[data-control="download"]')).toBe('Download');
    await press('preview');
    expect(navigate).toHaveBeenCalledWith({
      type: 'standard__namedPage',
      attributes: { pageName: 'filePreview' },
      state: { selectedRecordId: '069000000000001AAA' },
    });
    expect(control('retry')).toBeNull();
    expect(control('cancel')).toBeNull();
  });

  it('shows what the service warns of, once the document is made', async () => {
    const warning = 'The data has nothing for Total: left empty.';
    await endWith({ ...succeeded, warnings: [warning] });
    expect(textOf('[data-warning]')).toBe(warning);
    expect(button.shadowRoot.textContent).toContain('Look at it before you send it:');
  });

  it('warns of nothing where there is nothing', async () => {
    await endWith(succeeded);
    expect(find('[data-warning]')).toBeNull();
  });

  it('offers the file below the site, without a preview where there is none', async () => {
    await endWith(succeeded, { sitePath: '/portal', hidePreview: true });
    expect(control('download').getAttribute('href')).toMatch(/^\/portal\/sfc\//);
    expect(control('preview')).toBeNull();
  });

  it('offers nothing where the file is gone', async () => {
    await endWith({ ...succeeded, outputFileId: null, contentDocumentId: null });
    expect(textOf('[data-saying]')).toMatch(/its file was deleted or is not shared with you/);
    expect(control('download')).toBeNull();
    expect(control('preview')).toBeNull();
  });

  it('has the page read again what has changed', async () => {
    const refreshes = jest.fn();
    document.body.addEventListener('lightning__refresh', refreshes);
    await endWith(succeeded);
    expect(notifyRecordUpdateAvailable).toHaveBeenCalledWith([{ recordId: RECORD }]);
    expect(refreshes).toHaveBeenCalledTimes(1);
    expect(news).toEqual([RECORD, RECORD]);
    document.body.removeEventListener('lightning__refresh', refreshes);
  });

  it('says why it failed, in words', async () => {
    await endWith(failed);
    expect(textOf('[data-saying]')).toBe('Your document could not be made.');
    expect(textOf('[data-reason]')).toBe('It took too long. Try again; a shorter document helps.');
    expect(textOf('[data-detail]')).toBe('The conversion took longer than 60 s.');
    expect(find('lightning-icon').alternativeText).toBe('Failed');
    expect(find('lightning-progress-indicator')).toMatchObject({
      currentStep: 'processing',
      hasError: true,
    });
    expect(control('download')).toBeNull();
    expect(notifyRecordUpdateAvailable).not.toHaveBeenCalled();
    expect(news).toEqual([RECORD, RECORD]);
  });

  it('tries a failed one again, with a new elapsed time', async () => {
    await endWith(failed);
    await pass(30_000);
    apex.status.mockResolvedValue(processing);
    await press('retry');
    expect(apex.retry).toHaveBeenCalledWith({ documentId: DOC });
    expect(textOf('[data-saying]')).toBe('Your document is waiting for its turn.');
    expect(find('[data-reason]')).toBeNull();
    await pass(1000);
    expect(textOf('[data-elapsed]')).toBe('1 s');
    expect(apex.generate).toHaveBeenCalledTimes(1);
    expect(textOf('[data-saying]')).toBe('Your document is being made.');
  });

  it('keeps the failure and says why, where the retry is refused', async () => {
    await endWith(failed);
    apex.retry.mockRejectedValue({ body: { message: 'Someone else is at it.' } });
    await press('retry');
    expect(textOf('[data-problem]')).toBe('Someone else is at it.');
    expect(textOf('[data-reason]')).toMatch(/too long/);
    apex.retry.mockResolvedValue(undefined);
    await press('retry');
    expect(find('[data-problem]')).toBeNull();
    expect(apex.retry).toHaveBeenLastCalledWith({ documentId: DOC });
  });

  it('says why it could not start, and lets people try again', async () => {
    apex.generate.mockRejectedValue({ body: { message: 'You may not read this record.' } });
    await place();
    await press('generate');
    expect(textOf('[data-problem]')).toBe('You may not read this record.');
    expect(find('[data-saying]')).toBeNull();
    expect(control('generate')).not.toBeNull();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('canceling', () => {
  it('asks once, says so, and asks for the status at once', async () => {
    await place();
    await press('generate');
    await pass(1000);
    apex.status.mockResolvedValue(canceled);
    const call = pending();
    apex.cancel.mockReturnValue(call.promise);
    const cancel = control('cancel');
    cancel.click();
    cancel.click();
    await settle();
    expect(apex.cancel.mock.calls).toEqual([[{ documentId: DOC }]]);
    expect(textOf('[data-saying]')).toBe('Canceling…');
    expect(control('cancel')).toBeNull();
    call.resolve();
    await settle();
    expect(textOf('[data-saying]')).toBe('Your document was canceled.');
    expect(find('lightning-progress-indicator')).toBeNull();
    expect(find('lightning-icon').alternativeText).toBe('Canceled');
    expect(control('retry')).not.toBeNull();
    expect(news).toEqual([RECORD, RECORD]);
  });

  it('throws away the status from before the cancel', async () => {
    const before = pending();
    apex.status.mockReturnValueOnce(before.promise).mockResolvedValue(canceled);
    await place();
    await press('generate');
    await pass(1000);
    await press('cancel');
    expect(apex.status).toHaveBeenCalledTimes(1);
    before.resolve(processing);
    await settle();
    expect(apex.status).toHaveBeenCalledTimes(2);
    expect(textOf('[data-saying]')).toBe('Your document was canceled.');
  });

  it('goes on asking while one that is being made has not stopped', async () => {
    await place();
    await press('generate');
    await pass(1000);
    await press('cancel');
    expect(textOf('[data-saying]')).toBe('Canceling…');
    apex.status.mockResolvedValue(succeeded);
    await pass(1000);
    expect(textOf('[data-saying]')).toBe('Your document is ready.');
  });

  it('shows a cancel that someone else asked for', async () => {
    apex.status.mockResolvedValue({ ...processing, cancelRequested: true });
    await place();
    await press('generate');
    await pass(1000);
    expect(textOf('[data-saying]')).toBe('Canceling…');
    expect(control('cancel')).toBeNull();
  });

  it('says why it could not be canceled, and offers it again', async () => {
    apex.cancel.mockRejectedValue({ body: { message: 'It is done already.' } });
    await place();
    await press('generate');
    await pass(1000);
    await press('cancel');
    expect(textOf('[data-problem]')).toBe('It is done already.');
    expect(control('cancel')).not.toBeNull();
    expect(apex.status).toHaveBeenCalledTimes(2);
  });
});

describe('a reused document', () => {
  it('is shown at once, and when it was made', async () => {
    apex.generate.mockResolvedValue({ documentId: DOC, status: 'SUCCEEDED', reused: true });
    const first = pending();
    apex.status.mockReturnValue(first.promise);
    await place();
    await press('generate');
    expect(textOf('[data-saying]')).toBe('Starting…');
    first.resolve(succeeded);
    await settle();
    expect(textOf('[data-saying]')).toBe('Your document is ready.');
    expect(textOf('[data-note]')).toBe(
      'It was made at 10:42 AM, within the last day. Nothing has changed since, so this is the same file.',
    );
    expect(control('download')).not.toBeNull();
  });

  it('is followed where it is under way', async () => {
    apex.generate.mockResolvedValue({ documentId: DOC, status: 'PROCESSING', reused: true });
    await place();
    await press('generate');
    expect(apex.status).toHaveBeenCalledTimes(1);
    expect(textOf('[data-note]')).toMatch(/^The same document was asked for already/);
  });

  it('is not said of a new one', async () => {
    apex.status.mockResolvedValue(succeeded);
    await place();
    await press('generate');
    await pass(1000);
    expect(find('[data-note]')).toBeNull();
  });
});

describe('for everyone', () => {
  it('says the status in a live region that is there from the beginning, the time outside of it', async () => {
    await place();
    const region = find('[data-status]');
    expect(region.getAttribute('role')).toBe('status');
    expect(region.getAttribute('aria-live')).toBe('polite');
    await press('generate');
    await pass(1000);
    expect(find('[data-status]')).toBe(region);
    expect(region.contains(find('[data-saying]'))).toBe(true);
    expect(region.contains(find('[data-elapsed]'))).toBe(false);
    expect(find('[data-elapsed]').getAttribute('role')).toBe('timer');
  });

  /** The stand-ins of buttons take no focus by themselves. */
  function focusOn(name) {
    control(name).tabIndex = 0;
    control(name).focus();
    expect(button.shadowRoot.activeElement).toBe(control(name));
  }

  it('keeps the focus when the button that was pressed goes away', async () => {
    await place();
    focusOn('generate');
    await press('generate');
    expect(button.shadowRoot.activeElement).toBe(find('[data-status]'));
    focusOn('cancel');
    apex.status.mockResolvedValue(succeeded);
    await pass(1000);
    expect(control('cancel')).toBeNull();
    expect(button.shadowRoot.activeElement).toBe(find('[data-status]'));
  });

  it('leaves the focus on a button that stays', async () => {
    await place();
    await press('generate');
    focusOn('cancel');
    await pass(1000);
    expect(button.shadowRoot.activeElement).toBe(control('cancel'));
  });

  it('takes no focus from the rest of the page', async () => {
    const elsewhere = document.createElement('input');
    document.body.appendChild(elsewhere);
    await place();
    await press('generate');
    elsewhere.focus();
    apex.status.mockResolvedValue(succeeded);
    await pass(1000);
    expect(document.activeElement).toBe(elsewhere);
    elsewhere.remove();
  });
});
