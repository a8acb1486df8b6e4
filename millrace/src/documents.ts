// Documents without a server: templates are compiled, checked and merged here; LibreOffice makes PDFs of them.

import { type Office, type OfficeConfig, openOffice as open } from '@millrace/office';
import { consoleLog } from './log.ts';

export {
  type CompileOptions,
  type FieldUse,
  type Limits,
  type LintOptions,
  type LintReport,
  type MergeOptions,
  type Problem,
  type Template,
  TemplateError,
  type TemplateErrorCode,
  type Threads,
  type ThreadTemplate,
  compile,
  lint,
  openThreads,
} from '@millrace/docx';
export {
  type Conversion,
  type Office,
  type OfficeCheck,
  type OfficeConfig,
  OfficeError,
  type OfficeErrorCode,
  type PdfOptions,
  installedFonts,
} from '@millrace/office';

/** Warm LibreOffice processes, until `close`. Without a `log`, warnings go to the console. */
export function openOffice(config: Partial<OfficeConfig> = {}): Promise<Office> {
  return open({ log: { ...consoleLog, info() {} }, ...config });
}
