import title from '@salesforce/label/c.Docgen_Title';
import listTitle from '@salesforce/label/c.Docgen_ListTitle';
import generate from '@salesforce/label/c.Docgen_Generate';
import cancel from '@salesforce/label/c.Docgen_Cancel';
import retry from '@salesforce/label/c.Docgen_Retry';
import download from '@salesforce/label/c.Docgen_Download';
import preview from '@salesforce/label/c.Docgen_Preview';
import checkAgain from '@salesforce/label/c.Docgen_CheckAgain';
import loadMore from '@salesforce/label/c.Docgen_LoadMore';
import refresh from '@salesforce/label/c.Docgen_Refresh';
import close from '@salesforce/label/c.Docgen_Close';
import cancelNamed from '@salesforce/label/c.Docgen_CancelNamed';
import retryNamed from '@salesforce/label/c.Docgen_RetryNamed';
import downloadNamed from '@salesforce/label/c.Docgen_DownloadNamed';
import previewNamed from '@salesforce/label/c.Docgen_PreviewNamed';
import template from '@salesforce/label/c.Docgen_Template';
import chooseTemplate from '@salesforce/label/c.Docgen_ChooseTemplate';
import templateMissing from '@salesforce/label/c.Docgen_TemplateMissing';
import format from '@salesforce/label/c.Docgen_Format';
import formatPdf from '@salesforce/label/c.Docgen_FormatPdf';
import formatDocx from '@salesforce/label/c.Docgen_FormatDocx';
import loading from '@salesforce/label/c.Docgen_Loading';
import noRecord from '@salesforce/label/c.Docgen_NoRecord';
import noTemplates from '@salesforce/label/c.Docgen_NoTemplates';
import empty from '@salesforce/label/c.Docgen_Empty';
import queued from '@salesforce/label/c.Docgen_Queued';
import processing from '@salesforce/label/c.Docgen_Processing';
import succeeded from '@salesforce/label/c.Docgen_Succeeded';
import failed from '@salesforce/label/c.Docgen_Failed';
import canceled from '@salesforce/label/c.Docgen_Canceled';
import saysStarting from '@salesforce/label/c.Docgen_SaysStarting';
import saysQueued from '@salesforce/label/c.Docgen_SaysQueued';
import saysRetrying from '@salesforce/label/c.Docgen_SaysRetrying';
import saysProcessing from '@salesforce/label/c.Docgen_SaysProcessing';
import saysSucceeded from '@salesforce/label/c.Docgen_SaysSucceeded';
import saysNoFile from '@salesforce/label/c.Docgen_SaysNoFile';
import warnings from '@salesforce/label/c.Docgen_Warnings';
import saysFailed from '@salesforce/label/c.Docgen_SaysFailed';
import saysCanceled from '@salesforce/label/c.Docgen_SaysCanceled';
import saysCanceling from '@salesforce/label/c.Docgen_SaysCanceling';
import rowSays from '@salesforce/label/c.Docgen_RowSays';
import reusedMade from '@salesforce/label/c.Docgen_ReusedMade';
import reusedRunning from '@salesforce/label/c.Docgen_ReusedRunning';
import unsure from '@salesforce/label/c.Docgen_Unsure';
import lost from '@salesforce/label/c.Docgen_Lost';
import elapsedSeconds from '@salesforce/label/c.Docgen_ElapsedSeconds';
import elapsedMinutes from '@salesforce/label/c.Docgen_ElapsedMinutes';
import reasonTemplate from '@salesforce/label/c.Docgen_ReasonTemplate';
import reasonData from '@salesforce/label/c.Docgen_ReasonData';
import reasonTimeout from '@salesforce/label/c.Docgen_ReasonTimeout';
import reasonConversion from '@salesforce/label/c.Docgen_ReasonConversion';
import reasonStorage from '@salesforce/label/c.Docgen_ReasonStorage';
import reasonUpload from '@salesforce/label/c.Docgen_ReasonUpload';
import reasonWorker from '@salesforce/label/c.Docgen_ReasonWorker';
import reasonUnknown from '@salesforce/label/c.Docgen_ReasonUnknown';
import errorOffline from '@salesforce/label/c.Docgen_ErrorOffline';
import errorUnexpected from '@salesforce/label/c.Docgen_ErrorUnexpected';
import errorNothing from '@salesforce/label/c.Docgen_ErrorNothing';

/** Every text that people see: custom labels, so that an administrator can translate or reword them. */
export const texts = Object.freeze({
  title,
  listTitle,
  generate,
  cancel,
  retry,
  download,
  preview,
  checkAgain,
  loadMore,
  refresh,
  close,
  cancelNamed,
  retryNamed,
  downloadNamed,
  previewNamed,
  template,
  chooseTemplate,
  templateMissing,
  format,
  formatPdf,
  formatDocx,
  loading,
  noRecord,
  noTemplates,
  empty,
  queued,
  processing,
  succeeded,
  failed,
  canceled,
  saysStarting,
  saysQueued,
  saysRetrying,
  saysProcessing,
  saysSucceeded,
  saysNoFile,
  warnings,
  saysFailed,
  saysCanceled,
  saysCanceling,
  rowSays,
  reusedMade,
  reusedRunning,
  unsure,
  lost,
  elapsedSeconds,
  elapsedMinutes,
  reasonTemplate,
  reasonData,
  reasonTimeout,
  reasonConversion,
  reasonStorage,
  reasonUpload,
  reasonWorker,
  reasonUnknown,
  errorOffline,
  errorUnexpected,
  errorNothing,
});

/** Puts values in the places {0}, {1} … of a text. A place without a value stays as it is. */
export function fill(text, ...values) {
  return text.replace(/\{(\d+)\}/g, (place, index) => values[index] ?? place);
}
