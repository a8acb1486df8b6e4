const { pending, setHidden, setStage, settle } = require('../../docgenTexts/__tests__/stage.cjs');

const { apex, navigate, refreshApex } = setStage();
const { createElement } = require('lwc');
const { announce } = require('c/docgenNews');
const DocgenList = require('c/docgenList').default;

const RECORD = '006000000000001AAA';

const made = (number, changes) => ({
  id: `a0200000000000${number}AAA`,
  name: `GD-${number}`,
  templateName: 'Quote',
  status: 'SUCCEEDED',
  outputFileId: `0680000000000${number}AAA`,
  contentDocumentId: `0690000000000${number}AAA`,
  createdDate: '2026-07-27T17:42:00.000Z',
  ...changes,
});
const queued = (number) => made(number, { status: 'QUEUED', outputFileId: null });
const failed = (number) =>
  made(number, { status: 'FAILED', outputFileId: null, errorCode: 'template_not_found' });
const many = (count) => Array.from({ length: count }, (_, index) => made(10 + index));

let list;

async function place(documents, properties = {}) {
  list = createElement('c-docgen-list', { is: DocgenList });
  Object.assign(list, { recordId: RECORD, ...properties });
  document.body.appendChild(list);
  if (documents) apex.documents.emit(documents);
  await settle();
}

/** What the next refresh brings. */
function refreshBrings(documents) {
  refreshApex.mockImplementation(async () => apex.documents.emit(documents));
}

const find = (selector) => list.shadowRoot.querySelector(selector);
const findAll = (selector) => [...list.shadowRoot.querySelectorAll(selector)];
const textOf = (selector) => find(selector)?.textContent.replace(/\s+/g, ' ').trim();
const control = (name) => find(`[data-control="${name}"]`);
const shownNames = () => findAll('[data-name]').map(({ textContent }) => textContent);

async function press(name) {
  control(name).click();
  await settle();
}

async function pass(milliseconds) {
  await jest.advanceTimersByTimeAsync(milliseconds);
  await settle();
}

beforeEach(() => {
  jest.useFakeTimers();
  refreshApex.mockResolvedValue(undefined);
  apex.retry.mockResolvedValue(undefined);
  apex.cancel.mockResolvedValue(undefined);
});

afterEach(() => {
  list.remove();
  setHidden(false);
  jest.useRealTimers();
  jest.resetAllMocks();
});

describe('rows', () => {
  it('show name, template, status, date and file', async () => {
    await place([made(11)]);
    expect(shownNames()).toEqual(['GD-11']);
    expect(textOf('[data-template]')).toBe('Quote');
    expect(find('lightning-badge').label).toBe('Done');
    expect(find('lightning-badge').className).toContain('slds-theme_success');
    expect(find('lightning-formatted-date-time').value).toBe('2026-07-27T17:42:00.000Z');
    const { id, outputFileId } = made(11);
    const link = control(`download:${id}`);
    expect(link.getAttribute('href')).toBe(
      `/sfc/servlet.shepherd/version/download/${outputFileId}`,
    );
    expect(link.getAttribute('aria-label')).toBe('Download GD-11');
    expect(control(`retry:${id}`)).toBeNull();
    expect(control(`cancel:${id}`)).toBeNull();
    expect(find('[data-note]')).toBeNull();
  });

  it('preview the file', async () => {
    const { id, contentDocumentId } = made(12);
    await place([made(11), made(12)]);
    expect(control(`preview:${id}`).alternativeText).toBe('Preview GD-12');
    await press(`preview:${id}`);
    expect(navigate.mock.calls[0][0].state).toEqual({ selectedRecordId: contentDocumentId });
  });

  it('have links below the site, without a preview where there is none', async () => {
    const { id } = made(11);
    await place([made(11)], { sitePath: '/portal', hidePreview: true });
    expect(control(`download:${id}`).getAttribute('href')).toMatch(/^\/portal\/sfc\//);
    expect(control(`preview:${id}`)).toBeNull();
  });

  it('show why a document failed, and offer a retry', async () => {
    const { id } = failed(11);
    await place([failed(11)]);
    expect(textOf('[data-note]')).toMatch(/template is gone/);
    expect(find('lightning-badge').label).toBe('Failed');
    expect(control(`retry:${id}`).ariaLabel).toBe('Retry GD-11');
    expect(control(`download:${id}`)).toBeNull();
  });

  it('offer a cancel while the document is under way', async () => {
    const { id } = queued(11);
    await place([queued(11)]);
    expect(find('lightning-badge').label).toBe('Queued');
    expect(control(`cancel:${id}`).ariaLabel).toBe('Cancel GD-11');
    expect(control(`retry:${id}`)).toBeNull();
  });

  it('show that a cancel is under way', async () => {
    const { id } = queued(11);
    await place([made(11, { status: 'PROCESSING', cancelRequested: true })]);
    expect(textOf('[data-note]')).toBe('Canceling…');
    expect(control(`cancel:${id}`)).toBeNull();
  });
});

describe('the list', () => {
  it('shows that it loads', async () => {
    await place(undefined);
    expect(find('lightning-spinner').alternativeText).toBe('Loading');
    expect(apex.documents.getLastConfig()).toEqual({ recordId: RECORD, most: 11 });
  });

  it('says that it is empty', async () => {
    await place([]);
    expect(textOf('[data-notice]')).toMatch(/^No documents yet/);
    expect(find('lightning-spinner')).toBeNull();
  });

  it('says that it needs a record', async () => {
    await place(undefined, { recordId: undefined });
    expect(textOf('[data-notice]')).toBe('This works on the page of a record.');
    expect(find('lightning-spinner')).toBeNull();
  });

  it('says why it cannot be read, and keeps what it has', async () => {
    await place([made(11)]);
    apex.documents.error({ message: 'You may not read this record.' });
    await settle();
    expect(textOf('[data-problem]')).toBe('You may not read this record.');
    expect(find('[data-problem]').getAttribute('role')).toBe('alert');
    expect(shownNames()).toEqual(['GD-11']);
    apex.documents.emit([made(11)]);
    await settle();
    expect(textOf('[data-problem]')).toBe('');
  });

  it('keeps what it shows while the next answer is under way', async () => {
    await place([made(11)]);
    apex.documents.emit(undefined);
    await settle();
    expect(shownNames()).toEqual(['GD-11']);
  });

  it('shows ten, and more when asked', async () => {
    await place(many(11));
    expect(shownNames()).toHaveLength(10);
    await press('more');
    expect(apex.documents.getLastConfig()).toEqual({ recordId: RECORD, most: 21 });
    apex.documents.emit(many(15));
    await settle();
    expect(shownNames()).toHaveLength(15);
    expect(control('more')).toBeNull();
  });

  it('offers no more where there is none', async () => {
    await place(many(10));
    expect(shownNames()).toHaveLength(10);
    expect(control('more')).toBeNull();
  });

  it('begins again with another record', async () => {
    await place([queued(11)]);
    list.recordId = '006000000000002AAA';
    await settle();
    expect(shownNames()).toEqual([]);
    expect(apex.documents.getLastConfig()).toEqual({ recordId: '006000000000002AAA', most: 11 });
    await pass(60_000);
    expect(refreshApex).not.toHaveBeenCalled();
  });
});

describe('reading again', () => {
  it('happens while a document is under way, with longer waits, and ends with it', async () => {
    await place([queued(11), made(12)]);
    refreshBrings([queued(11), made(12)]);
    await pass(1000);
    expect(refreshApex).toHaveBeenCalledTimes(1);
    await pass(1999);
    expect(refreshApex).toHaveBeenCalledTimes(1);
    refreshBrings([made(11), made(12)]);
    await pass(1);
    expect(refreshApex).toHaveBeenCalledTimes(2);
    expect(find('lightning-badge').label).toBe('Done');
    await pass(60_000);
    expect(refreshApex).toHaveBeenCalledTimes(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('does not happen where all is over', async () => {
    await place([made(11), failed(12)]);
    await pass(60_000);
    expect(refreshApex).not.toHaveBeenCalled();
  });

  it('does not happen off the page or in a hidden tab', async () => {
    await place([queued(11)]);
    setHidden(true);
    await pass(60_000);
    expect(refreshApex).not.toHaveBeenCalled();
    setHidden(false);
    await settle();
    expect(refreshApex).toHaveBeenCalledTimes(1);
    list.remove();
    await pass(60_000);
    expect(refreshApex).toHaveBeenCalledTimes(1);
  });

  it('goes on when the list is back on the page', async () => {
    await place([queued(11)]);
    list.remove();
    document.body.appendChild(list);
    await pass(1000);
    expect(refreshApex).toHaveBeenCalledTimes(1);
  });

  it('happens when someone asks for it, and once at a time', async () => {
    const call = pending();
    refreshApex.mockReturnValue(call.promise);
    await place([made(11)]);
    expect(control('refresh').alternativeText).toBe('Refresh');
    await press('refresh');
    await press('refresh');
    expect(refreshApex).toHaveBeenCalledTimes(1);
    refreshBrings([made(12), made(11)]);
    call.resolve();
    await settle();
    expect(refreshApex).toHaveBeenCalledTimes(2);
    expect(shownNames()).toEqual(['GD-12', 'GD-11']);
    await pass(60_000);
    expect(refreshApex).toHaveBeenCalledTimes(2);
  });

  it('happens when there is news of this record, and of no other', async () => {
    await place([made(11)]);
    refreshBrings([queued(12), made(11)]);
    announce('006000000000002AAA');
    await settle();
    expect(refreshApex).not.toHaveBeenCalled();
    announce(RECORD);
    await settle();
    expect(shownNames()).toEqual(['GD-12', 'GD-11']);
    await pass(1000);
    expect(refreshApex).toHaveBeenCalledTimes(2);
  });

  it('hears no news off the page', async () => {
    await place([made(11)]);
    list.remove();
    announce(RECORD);
    await settle();
    expect(refreshApex).not.toHaveBeenCalled();
  });

  it('hears news once, however often the list was off the page', async () => {
    await place([made(11)]);
    list.remove();
    document.body.appendChild(list);
    announce(RECORD);
    await settle();
    expect(refreshApex).toHaveBeenCalledTimes(1);
  });

  it('says why it failed, and gives up in the end', async () => {
    refreshApex.mockRejectedValue({ body: { message: 'Your session has ended.' } });
    await place([queued(11)]);
    await pass(1000);
    expect(textOf('[data-problem]')).toBe('Your session has ended.');
    await pass(120_000);
    expect(refreshApex).toHaveBeenCalledTimes(5);
    refreshBrings([made(11)]);
    await press('refresh');
    expect(textOf('[data-problem]')).toBe('');
    expect(find('lightning-badge').label).toBe('Done');
  });
});

describe('retry and cancel', () => {
  it.each([
    ['retry', failed(11), queued(11), 'Queued'],
    ['cancel', queued(11), made(11, { status: 'CANCELED' }), 'Canceled'],
  ])('%s changes the document and reads the list again', async (action, before, after, word) => {
    await place([made(12), before]);
    refreshBrings([made(12), after]);
    await press(`${action}:${before.id}`);
    expect(apex[action]).toHaveBeenCalledWith({ documentId: before.id });
    expect(findAll('lightning-badge')[1].label).toBe(word);
  });

  it('ask once, however often they are pressed', async () => {
    const call = pending();
    apex.retry.mockReturnValue(call.promise);
    await place([failed(11)]);
    await press(`retry:${failed(11).id}`);
    await press(`retry:${failed(11).id}`);
    expect(apex.retry).toHaveBeenCalledTimes(1);
    call.resolve();
    await settle();
    await press(`retry:${failed(11).id}`);
    expect(apex.retry).toHaveBeenCalledTimes(2);
  });

  it('say why they were refused, until the next one', async () => {
    apex.cancel.mockRejectedValue({ body: { message: 'It is done already.' } });
    await place([queued(11)]);
    refreshBrings([queued(11)]);
    await press(`cancel:${queued(11).id}`);
    await pass(1000);
    expect(refreshApex).toHaveBeenCalledTimes(1);
    expect(textOf('[data-problem]')).toBe('It is done already.');
    apex.cancel.mockResolvedValue(undefined);
    await press(`cancel:${queued(11).id}`);
    expect(textOf('[data-problem]')).toBe('');
  });
});

describe('for everyone', () => {
  it('says which document has a new status, in a live region that is there from the beginning', async () => {
    await place([queued(11), made(12)]);
    const region = find('[data-news]');
    expect(region.getAttribute('aria-live')).toBe('polite');
    expect(region.textContent).toBe('');
    refreshBrings([made(13), made(11), made(12)]);
    await pass(1000);
    expect(find('[data-news]')).toBe(region);
    expect(region.textContent).toBe('GD-11: Done');
  });

  function focusOn(name) {
    control(name).tabIndex = 0;
    control(name).focus();
    expect(list.shadowRoot.activeElement).toBe(control(name));
  }

  it('puts the focus on the row whose button went away', async () => {
    const { id } = failed(11);
    await place([made(12), failed(11)]);
    refreshBrings([made(12), queued(11)]);
    focusOn(`retry:${id}`);
    await press(`retry:${id}`);
    expect(list.shadowRoot.activeElement).toBe(find(`[data-row="${id}"]`));
  });

  it('puts the focus on the first row that "load more" brought', async () => {
    await place(many(11));
    focusOn('more');
    await press('more');
    expect(list.shadowRoot.activeElement).toBe(findAll('[data-row]')[10]);
  });

  it('leaves the focus on a button that stays', async () => {
    const { id } = queued(11);
    await place([queued(11)]);
    refreshBrings([made(12), made(11, { status: 'PROCESSING' })]);
    focusOn(`cancel:${id}`);
    await pass(1000);
    expect(shownNames()).toEqual(['GD-12', 'GD-11']);
    expect(list.shadowRoot.activeElement).toBe(control(`cancel:${id}`));
  });
});
