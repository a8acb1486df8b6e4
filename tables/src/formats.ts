import type { Compression } from './compress.ts';

export const TABLE_FORMATS = ['csv', 'jsonl', 'xlsx', 'parquet'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

export interface FileType {
  readonly mediaType: string;
  /** With its point. */
  readonly extension: string;
}

const FILE_TYPES: Record<TableFormat, FileType> = {
  csv: { mediaType: 'text/csv; charset=utf-8', extension: '.csv' },
  jsonl: { mediaType: 'application/x-ndjson', extension: '.jsonl' },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: '.xlsx',
  },
  parquet: { mediaType: 'application/vnd.apache.parquet', extension: '.parquet' },
};

const PACKED: Record<Compression, FileType> = {
  gzip: { mediaType: 'application/gzip', extension: '.gz' },
  zstd: { mediaType: 'application/zstd', extension: '.zst' },
};

/** The type of a file. A response that sends `content-encoding: gzip` has the media type without compression. */
export function fileTypeOf(format: TableFormat, compression: Compression | null = null): FileType {
  const plain = FILE_TYPES[format];
  if (compression === null) return plain;
  const packed = PACKED[compression];
  return { mediaType: packed.mediaType, extension: plain.extension + packed.extension };
}
