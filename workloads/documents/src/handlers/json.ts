import { iso, isoOrNull } from '@millrace/workload-kit';
import type { Batch } from '../batch/batches.ts';
import type { Batch as BatchJson } from '../contract/documents.ts';
import type { File as FileJson } from '../contract/files.ts';
import type { Template as TemplateJson } from '../contract/templates.ts';
import type { StoredFile } from '../files/files.ts';
import type { TemplateInfo } from '../templates/records.ts';

export function templateJson({ createdAt, ...template }: TemplateInfo): TemplateJson {
  return { ...template, createdAt: iso(createdAt) };
}

export function fileJson(file: StoredFile): FileJson {
  const { id, name, mediaType, size, sha256, templateId, batchId, correlationId, submitter } = file;
  return {
    id,
    name,
    mediaType,
    size,
    sha256,
    templateId,
    batchId,
    correlationId,
    submitter,
    createdAt: iso(file.createdAt),
    expiresAt: iso(file.expiresAt),
    url: `/files/${id}/content`,
  };
}

export function batchJson(batch: Batch): BatchJson {
  const { id, state, total, counts, settings, source, jobId, correlationId, submitter } = batch;
  return {
    id,
    state,
    total,
    counts,
    templateId: settings.templateId,
    locale: settings.locale,
    dataLocale: settings.options.dataLocale ?? null,
    preview: settings.preview ?? null,
    source: source && {
      format: source.format,
      encoding: source.encoding ?? null,
      sheet: source.sheet ?? null,
      rows: source.rows,
      blank: source.blank,
    },
    jobId,
    correlationId,
    submitter,
    createdAt: iso(batch.createdAt),
    finishedAt: isoOrNull(batch.finishedAt),
    expiresAt: iso(batch.expiresAt),
  };
}
