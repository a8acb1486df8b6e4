export { OfficeError, type OfficeErrorCode } from './errors.ts';
export type { Log, OfficeEvent, Timings } from './events.ts';
export { findOffice } from './find.ts';
export { installedFonts } from './fonts.ts';
export type { OnTurn } from './job.ts';
export type { Lane } from './lanes.ts';
export {
  type Conversion,
  type Office,
  type OfficeCheck,
  type OfficeConfig,
  type OfficeStats,
  type RequestOptions,
  defaultSlots,
  openOffice,
} from './office.ts';
export type { PdfOptions } from './options.ts';
