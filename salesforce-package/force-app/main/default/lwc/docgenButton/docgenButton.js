import { LightningElement, api, wire } from 'lwc';
import { NavigationMixin } from 'lightning/navigation';
import { RefreshEvent } from 'lightning/refresh';
import { notifyRecordUpdateAvailable } from 'lightning/uiRecordApi';
import listTemplates from '@salesforce/apex/DocgenController.templates';
import { sentenceOf } from 'c/docgenErrors';
import { focusKeeper } from 'c/docgenFocus';
import { announce } from 'c/docgenNews';
import {
  STEPS,
  canCancel,
  downloadUrlOf,
  elapsedWords,
  failureOf,
  previewOf,
  reuseOf,
  sayingOf,
  stateOf,
  warningsOf,
} from 'c/docgenStatus';
import { texts } from 'c/docgenTexts';
import { NO_RUN, documentRun } from './documentRun';
import page from './docgenButton.html';

const FORMATS = [
  { value: 'PDF', label: texts.formatPdf },
  { value: 'DOCX', label: texts.formatDocx },
];

let radioGroups = 0;

/** Makes a document of the record, and shows what becomes of it. */
export default class DocgenButton extends NavigationMixin(LightningElement) {
  @api objectApiName;
  /** The template that is chosen at first: its name or its id. */
  @api defaultTemplate;
  /** The words on the button. */
  @api label;
  @api variant = 'brand';
  /** Shows the documents of the record below. */
  @api showList = false;
  /** Without the card around it, for a parent that has its own. */
  @api bare = false;
  /** The path of the Experience site, where it runs in one. */
  @api sitePath;
  @api hidePreview = false;

  texts = texts;
  steps = STEPS;
  formats = FORMATS;
  // Radio buttons of one name belong together, also across two of these on one page.
  formatName = `docgen-format-${(radioGroups += 1)}`;

  templates;
  templatesProblem;
  templateId;
  outputFormat = 'PDF';

  run = NO_RUN;
  now = 0;
  ticking;
  following = documentRun({
    changed: (run) => this.take(run),
    news: () => announce(this.recordId),
    ended: (document) => this.refreshPage(document),
  });
  focusKeeper = focusKeeper(this.template, () => this.refs.status);

  currentRecordId;

  // A quick action gives the record id after the component is connected; a console may change it later.
  @api
  get recordId() {
    return this.currentRecordId;
  }
  set recordId(recordId) {
    if (recordId === this.currentRecordId) return;
    this.currentRecordId = recordId;
    this.following.forget();
  }

  @wire(listTemplates, { objectApiName: '$objectApiName' })
  takeTemplates({ data, error }) {
    this.templatesProblem = error ? sentenceOf(error) : undefined;
    if (!data) return;
    this.templates = data;
    const first = data.length === 1 ? data[0] : data.find((one) => this.isDefault(one));
    this.choose(first?.id);
  }

  isDefault({ id, name }) {
    const wanted = this.defaultTemplate?.trim();
    // An id has 15 characters in some places of Salesforce and 18 in Apex: the first 15 are the same.
    return Boolean(wanted) && (name === wanted || (wanted.length >= 15 && id.startsWith(wanted)));
  }

  choose(templateId) {
    this.templateId = templateId;
    const chosen = this.templates.find(({ id }) => id === templateId);
    this.outputFormat = chosen?.outputFormat ?? 'PDF';
  }

  connectedCallback() {
    this.following.attach();
    this.tick();
  }

  disconnectedCallback() {
    this.following.detach();
    this.stopTicking();
  }

  render() {
    this.focusKeeper.note();
    return page;
  }

  renderedCallback() {
    this.focusKeeper.restore();
  }

  take(run) {
    this.run = run;
    this.tick();
  }

  /** The elapsed time moves while something is under way. */
  tick() {
    this.stopTicking();
    this.now = Date.now();
    if (!this.isBusy || !this.isConnected) return;
    this.ticking = setInterval(() => {
      this.now = Date.now();
    }, 1000);
  }

  stopTicking() {
    clearInterval(this.ticking);
  }

  /** The file is new on the record: its own data and the standard related lists are read again. */
  refreshPage({ status }) {
    if (status !== 'SUCCEEDED') return;
    void notifyRecordUpdateAvailable([{ recordId: this.recordId }]);
    this.dispatchEvent(new RefreshEvent());
  }

  handleTemplate(event) {
    this.choose(event.detail.value);
  }

  handleFormat(event) {
    this.outputFormat = event.detail.value;
  }

  handleGenerate() {
    const { templateId, recordId, outputFormat } = this;
    if (templateId) {
      void this.following.generate({ templateId, recordId, outputFormat });
      return;
    }
    this.refs.template.reportValidity();
    this.refs.template.focus();
  }

  handleRetry() {
    void this.following.retry();
  }

  handleCancel() {
    void this.following.cancel();
  }

  handleCheckAgain() {
    this.following.checkAgain();
  }

  handlePreview() {
    this[NavigationMixin.Navigate](previewOf(this.document));
  }

  // What the page shows

  get framed() {
    return !this.bare;
  }
  get frameClass() {
    return this.bare ? '' : 'slds-card';
  }
  get bodyClass() {
    return this.bare ? '' : 'slds-card__body slds-card__body_inner';
  }
  /** A line separates the form from a finished document above it. */
  get formClass() {
    return this.hasWords ? 'slds-border_top slds-m-top_medium slds-p-top_medium' : '';
  }
  get buttonLabel() {
    return this.label || texts.generate;
  }
  get showsForm() {
    return Boolean(this.recordId) && this.templates?.length > 0 && !this.isBusy;
  }
  get showsDocuments() {
    return this.showList && Boolean(this.recordId);
  }
  get loadsTemplates() {
    return Boolean(this.recordId) && !this.templates && !this.templatesProblem;
  }
  get notice() {
    if (!this.recordId) return texts.noRecord;
    return this.templates?.length === 0 ? texts.noTemplates : undefined;
  }
  get hasChoice() {
    return this.templates.length > 1;
  }
  get onlyTemplate() {
    return this.templates[0].name;
  }
  get templateOptions() {
    return this.templates.map(({ id, name }) => ({ value: id, label: name }));
  }
  get isBusy() {
    return this.run.phase === 'starting' || this.run.phase === 'following';
  }
  /** As Salesforce has it; a cancel that was just asked for is shown before Salesforce knows of it. */
  get document() {
    const { document, canceling } = this.run;
    return document && canceling ? { ...document, cancelRequested: true } : document;
  }
  get state() {
    return this.document && stateOf(this.document.status);
  }
  get busyWord() {
    return this.state?.word ?? texts.loading;
  }
  get saying() {
    if (this.run.phase === 'starting') return texts.saysStarting;
    return this.document && sayingOf(this.document);
  }
  get hasWords() {
    return Boolean(this.saying || this.note);
  }
  get failure() {
    return this.document && failureOf(this.document);
  }
  get warnings() {
    return this.document ? warningsOf(this.document) : [];
  }
  get hasWarnings() {
    return this.warnings.length > 0;
  }
  get hasFailed() {
    return Boolean(this.failure);
  }
  get note() {
    const { phase, unsure, reused } = this.run;
    if (phase === 'lost') return texts.lost;
    if (unsure) return texts.unsure;
    return reused && this.document ? reuseOf(this.document) : undefined;
  }
  get problem() {
    return this.run.problem ?? this.templatesProblem;
  }
  get elapsed() {
    return this.run.phase === 'following' ? elapsedWords(this.now - this.run.startedAt) : undefined;
  }
  get names() {
    const { name, templateName } = this.document ?? {};
    return [name, templateName].filter(Boolean).join(' · ');
  }
  get downloadUrl() {
    return this.document && downloadUrlOf(this.document, this.sitePath);
  }
  get canPreview() {
    return Boolean(this.document && !this.hidePreview && previewOf(this.document));
  }
  get canCancel() {
    return this.run.phase === 'following' && canCancel(this.document);
  }
  get canRetry() {
    return this.run.phase === 'over' && this.state.canRetry;
  }
  get canCheckAgain() {
    return this.run.phase === 'lost';
  }
}
