import type { ByteRange } from '@millrace/workload-kit';
import { batchRows } from './records.ts';
import { sha256 } from '../one/canonical.ts';
import { type ContentStore, checkRange, readContent } from '../files/contents.ts';
import { DocumentError } from '../errors.ts';
import { seqOf } from '../ids.ts';
import { madeFiles } from './item-list.ts';
import { uniqueNames } from '../one/names.ts';
import { type ZipEntry, createZip, zipTime } from './zip.ts';

/** All documents of a batch as one ZIP, made while it is read. */
export interface Archive {
  readonly name: string;
  readonly mediaType: 'application/zip';
  readonly size: number;
  readonly entries: number;
  /**
   * The tag changes after a retry that made more documents: a range of the old ZIP must not be joined with one of the
   * new.
   */
  readonly etag: string;
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
}

export async function openArchive(
  store: ContentStore,
  id: string,
  tenant: string,
): Promise<Archive> {
  const { database } = store;
  const seq = seqOf('batch', id);
  const batch = seq === null ? null : await batchRows.get(database, seq, tenant);
  if (batch === null) throw new DocumentError('batch_not_found', `There is no batch "${id}".`);
  if (batch.state === 'LOADING' || batch.state === 'RUNNING')
    throw new DocumentError('batch_not_finished', `The batch ${id} is not over yet.`);
  const unique = uniqueNames();
  const made = await madeFiles(database, batch.seq);
  const entries = made.map(({ name, content, size, crc32 }): ZipEntry => ({
    name: unique(name),
    size,
    crc32,
    read: (range) => readContent(store, { seq: content, size }, range),
  }));
  // Entries carry the time at which the batch ended, and not that of the download: a resumed download must get the
  // same bytes.
  const at = zipTime(batch.finishedAt ?? batch.createdAt, zoneOf(batch.settings.timezone));
  const zip = createZip(entries, at);
  const identity = entries.map(({ name, size, crc32 }) => [name, size, crc32]);
  return {
    name: `${id}.zip`,
    mediaType: 'application/zip',
    size: zip.size,
    entries: entries.length,
    etag: sha256(JSON.stringify([identity, at])),
    read: (range) => zip.read(checkRange(range, zip.size)),
  };
}

/**
 * The batch's time zone, or UTC. An unknown zone has failed every document already, and must not make the ZIP fail
 * too.
 */
function zoneOf(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}
