import { LightningElement, api, wire } from 'lwc';
import { NavigationMixin } from 'lightning/navigation';
import { refreshApex } from '@salesforce/apex';
import cancelDocument from '@salesforce/apex/DocgenController.cancel';
import listDocuments from '@salesforce/apex/DocgenController.documents';
import retryDocument from '@salesforce/apex/DocgenController.retry';
import { sentenceOf } from 'c/docgenErrors';
import { focusKeeper } from 'c/docgenFocus';
import { listen } from 'c/docgenNews';
import { startPolling } from 'c/docgenPolling';
import {
  canCancel,
  downloadUrlOf,
  failureOf,
  isCanceling,
  previewOf,
  stateOf,
} from 'c/docgenStatus';
import { fill, texts } from 'c/docgenTexts';
import page from './docgenList.html';

const PAGE = 10;

/** The documents of a record, newest first. While one of them is under way, the list looks after it. */
export default class DocgenList extends NavigationMixin(LightningElement) {
  @api sitePath;
  @api hidePreview = false;

  texts = texts;
  /** One more than is shown, to know whether there is more. */
  most = PAGE + 1;
  documents;
  readProblem;
  actProblem;
  /** Said to screen readers: which document has a new status. */
  news = '';

  wired;
  polling;
  unlisten;
  /** Documents with a call under way: a second click does nothing. */
  acting = new Set();
  focusKeeper = focusKeeper(this.template, (control) => this.elementInsteadOf(control));

  currentRecordId;

  @api
  get recordId() {
    return this.currentRecordId;
  }
  set recordId(recordId) {
    if (recordId === this.currentRecordId) return;
    this.currentRecordId = recordId;
    this.most = PAGE + 1;
    this.documents = undefined;
    this.readProblem = undefined;
    this.actProblem = undefined;
    this.news = '';
    this.stopPolling();
  }

  @wire(listDocuments, { recordId: '$recordId', most: '$most' })
  take(result) {
    this.wired = result;
    const { data, error } = result;
    this.readProblem = error ? sentenceOf(error) : undefined;
    // Without data the next answer is under way, or it failed: what is shown stays.
    if (data) {
      this.news = this.newsIn(data);
      this.documents = data;
    }
    this.lookAfter();
  }

  newsIn(documents) {
    const before = new Map((this.documents ?? []).map(({ id, status }) => [id, status]));
    return documents
      .filter(({ id, status }) => before.has(id) && before.get(id) !== status)
      .map(({ name, status }) => fill(texts.rowSays, name, stateOf(status).word))
      .join(' ');
  }

  connectedCallback() {
    this.unlisten = listen((recordId) => {
      if (recordId === this.recordId) this.refresh();
    });
    this.lookAfter();
  }

  disconnectedCallback() {
    this.unlisten?.();
    this.stopPolling();
  }

  render() {
    this.focusKeeper.note();
    return page;
  }

  renderedCallback() {
    this.focusKeeper.restore();
  }

  /** A row whose button is gone has the focus itself; after the last "load more", the first row it brought. */
  elementInsteadOf(control) {
    const rows = [...this.template.querySelectorAll('[data-row]')];
    if (control === 'more') return rows[this.shown - PAGE];
    return rows.find(({ dataset }) => dataset.row === control.split(':')[1]);
  }

  get isUnderWay() {
    return (this.documents ?? []).some(({ status }) => !stateOf(status).over);
  }

  lookAfter() {
    if (this.isUnderWay && this.isConnected && !this.polling) this.poll();
  }

  /** Reads the list again, and goes on with it while a document is under way. The wire takes what it brings. */
  poll() {
    this.polling = startPolling({
      ask: () => refreshApex(this.wired),
      answered: () => {
        if (this.isUnderWay) return false;
        this.polling = undefined;
        return true;
      },
      failed: (error) => {
        this.readProblem = sentenceOf(error);
      },
      gaveUp: (error) => {
        this.polling = undefined;
        this.readProblem = sentenceOf(error);
      },
    });
  }

  stopPolling() {
    this.polling?.stop();
    this.polling = undefined;
  }

  refresh() {
    if (!this.wired || !this.isConnected) return;
    if (!this.polling) this.poll();
    this.polling.askNow();
  }

  handleRefresh() {
    this.refresh();
  }

  handleMore() {
    this.most += PAGE;
  }

  handleRetry(event) {
    void this.act(event, retryDocument);
  }

  handleCancel(event) {
    void this.act(event, cancelDocument);
  }

  async act(event, call) {
    const { documentId } = event.currentTarget.dataset;
    if (this.acting.has(documentId)) return;
    this.acting.add(documentId);
    this.actProblem = undefined;
    try {
      await call({ documentId });
      this.refresh();
    } catch (error) {
      this.actProblem = sentenceOf(error);
    } finally {
      this.acting.delete(documentId);
    }
  }

  handlePreview(event) {
    const { documentId } = event.currentTarget.dataset;
    this[NavigationMixin.Navigate](previewOf(this.documents.find(({ id }) => id === documentId)));
  }

  // What the page shows

  get shown() {
    return this.most - 1;
  }
  get problem() {
    return this.actProblem ?? this.readProblem;
  }
  get loads() {
    return Boolean(this.recordId) && !this.documents && !this.problem;
  }
  get isEmpty() {
    return this.documents?.length === 0;
  }
  get hasMore() {
    return this.documents?.length > this.shown;
  }
  get notice() {
    if (!this.recordId) return texts.noRecord;
    return this.isEmpty ? texts.empty : undefined;
  }
  get rows() {
    return (this.documents ?? []).slice(0, this.shown).map((document) => this.rowOf(document));
  }

  rowOf(document) {
    const { id, name, templateName, createdDate, status } = document;
    return {
      id,
      name,
      templateName,
      createdDate,
      state: stateOf(status),
      note: isCanceling(document) ? texts.saysCanceling : failureOf(document)?.reason,
      canCancel: canCancel(document),
      downloadUrl: downloadUrlOf(document, this.sitePath),
      canPreview: !this.hidePreview && Boolean(previewOf(document)),
      controls: Object.fromEntries(
        ['download', 'preview', 'retry', 'cancel'].map((control) => [control, `${control}:${id}`]),
      ),
      downloadText: fill(texts.downloadNamed, name),
      previewText: fill(texts.previewNamed, name),
      retryText: fill(texts.retryNamed, name),
      cancelText: fill(texts.cancelNamed, name),
    };
  }
}
