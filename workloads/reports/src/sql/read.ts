// Reads a report in batches, from wherever an earlier reading stood. What a batch is depends on the data and on where the reading
// stands, never on time: a file that was carried on gets the batches of one that never stopped.

import type { Reading } from '@millrace/sql-source';
import { ahead } from './ahead.ts';
import { type CheckedRows, checkedRows } from './batches.ts';
import { type ChunkSize, type ReadSoFar, chunkRows, createChunkCuts } from './chunk-rows.ts';
import { nullInKey } from './key.ts';
import { type KeptRows, withoutMarked } from './left-out.ts';
import {
  type PlanDecision,
  type ReadMode,
  decideAfter,
  decideBefore,
  splitsGroups,
} from './plan.ts';
import { CHUNK_ROWS, PROBE_VALUE, type ReportTexts, keyValues } from './texts.ts';

/** Where a reading stands after a batch: plain JSON, for the cursor. */
export interface ReadPosition extends ReadSoFar {
  readonly mode: ReadMode;
  /** Of the last row, as Postgres wrote it. */
  readonly key: readonly string[];
  /** Rows that the chunk still has, where the batch was cut for its bytes. */
  readonly left: number;
}

/** Records of COPY: the mark and hidden keys first, then the columns of the file. None, where all of them are left out. */
export interface ReadBatch extends KeptRows {
  readonly position: ReadPosition;
  /** It is of another snapshot than the batch before. */
  readonly isNewSnapshot: boolean;
}

export interface ReadParams {
  /** All values are set that the texts read, but for key and rows of a chunk. */
  readonly reading: Reading;
  readonly texts: ReportTexts;
  readonly chunk: ChunkSize;
  /** Null: from the first row. */
  readonly from: ReadPosition | null;
  /** Between two statements: another reading, where the snapshot is too old; null: go on with this one. */
  readonly renew?: () => Promise<Reading | null>;
  readonly onDecision?: (decision: PlanDecision) => void;
}

/** Rows that were read cannot be told from those that were not, so that the reading has to begin again: it was of groups that get another key. */
export class CannotGoOn extends Error {
  override readonly name = 'CannotGoOn';
}

/** A batch ends with so many times the bytes of a chunk, however few its rows are: memory stays flat where rows get wide. */
const MOST_TIMES = 4;
/** One is being written while the next is read; with another, a slow sync or save does not make the source wait. */
const READ_AHEAD = 2;
/**
 * Chunks of one statement. Between two statements the source has nothing to do until this process has read the last row and asked for
 * more, and this process may be busy with the chunk before (docs/decisions/0026-reports.md).
 */
const STRETCH = 8;
/** Chunks grow a little as their rows get narrower: with too few rows the last one would be read for nothing. */
const SPARE = 1.02;
/** Rows of the next chunk are some wider and some narrower than those so far. */
const LIKELY_TIMES = 1.1;
const MOST_LIKELY = 16 * 1024 * 1024;
const NOTHING: ReadSoFar = { rows: 0, bytes: 0 };

/**
 * Some batches ahead of whoever takes them. Throws `KeyTrouble`, `CannotGoOn`, and what the source throws. The reading is the caller's to end, after
 * this has returned.
 */
export function readReport(params: ReadParams): AsyncGenerator<ReadBatch, void> {
  return ahead(batchesOf(params), READ_AHEAD);
}

async function* batchesOf(params: ReadParams): AsyncGenerator<ReadBatch, void> {
  const { reading, texts, from, onDecision } = params;
  await checkNullKeys(reading, texts);
  if (await splits(reading, texts)) {
    if (from !== null && texts.mayRewrite)
      throw new CannotGoOn('A report of groups is read whole.');
    onDecision?.({ mode: 'stream', why: 'it groups by the key' });
    return yield* stream(params, reading, { from, rest: texts.restOfGroups });
  }
  const mode = from?.mode ?? (await modeBefore(params));
  yield* mode === 'stream' ? stream(params, reading, { from }) : chunks(params);
}

async function splits(reading: Reading, { groups }: ReportTexts): Promise<boolean> {
  if (groups === null) return false;
  await reading.set(PROBE_VALUE);
  return splitsGroups(await reading.explain(groups));
}

async function checkNullKeys(reading: Reading, texts: ReportTexts): Promise<void> {
  if (texts.nullKeys === null) return;
  if ((await reading.rows(texts.nullKeys)).length > 0) throw nullInKey();
}

/** A first chunk that has to sort everything is not worth its sorting. */
async function modeBefore({ reading, texts, chunk, onDecision }: ReadParams): Promise<ReadMode> {
  await reading.set({ [CHUNK_ROWS]: String(chunkRows(NOTHING, chunk)) });
  const decision = decideBefore(await reading.explain(texts.firstChunk), texts.ties);
  if (decision.mode === 'stream') onDecision?.(decision);
  return decision.mode;
}

/** What the source plans to do for the chunk after the first one. */
async function modeAfter(
  { texts, chunk, onDecision }: ReadParams,
  reading: Reading,
  position: ReadPosition,
): Promise<ReadMode> {
  const rows = String(chunkRows(position, chunk));
  await reading.set({ ...keyValues(position.key), [CHUNK_ROWS]: rows });
  const decision = decideAfter(await reading.explain(texts.nextChunk), texts.ties);
  onDecision?.(decision);
  return decision.mode;
}

async function* stream(
  { texts, chunk }: ReadParams,
  reading: Reading,
  { from, rest = texts.rest }: { readonly from: ReadPosition | null; readonly rest?: string },
): AsyncGenerator<ReadBatch, void> {
  if (from !== null) await reading.set(keyValues(from.key));
  const cut = { ...chunk, mostBytes: chunk.bytes * MOST_TIMES };
  const copied = reading.copy(from === null ? texts.all : rest, cut);
  let so: ReadSoFar = from ?? NOTHING;
  for await (const batch of checkedRows(copied, texts.keyPlaces, Infinity)) {
    so = plus(so, batch);
    const position = { ...so, mode: 'stream', key: batch.key, left: 0 } as const;
    yield { ...keptOf(batch, texts), position, isNewSnapshot: false };
  }
}

async function* chunks(params: ReadParams): AsyncGenerator<ReadBatch, void> {
  const { texts, chunk } = params;
  let { reading, from: position } = params;
  for (let hasMore = true; hasMore;) {
    const newer = (await params.renew?.()) ?? null;
    reading = newer ?? reading;
    if (newer !== null) await checkNullKeys(newer, texts);
    let isNewSnapshot = newer !== null;
    hasMore = false;
    for await (const { batch, left } of stretchOf(reading, texts, position, chunk)) {
      const { key } = batch;
      ({ hasMore } = batch);
      position = { ...plus(position ?? NOTHING, batch), mode: 'chunks', key, left };
      const isFirst = position.rows === chunkRows(NOTHING, chunk);
      if (isFirst && left === 0 && hasMore) {
        position = { ...position, mode: await modeAfter(params, reading, position) };
      }
      yield { ...keptOf(batch, texts), position, isNewSnapshot };
      isNewSnapshot = false;
    }
    if (hasMore && position?.mode === 'stream')
      return yield* stream(params, reading, { from: position });
  }
}

/** Chunks by one statement, each in one batch unless its rows are wide. The first chunk comes alone: it decides how to go on. */
async function* stretchOf(
  reading: Reading,
  texts: ReportTexts,
  from: ReadPosition | null,
  chunk: ChunkSize,
): AsyncGenerator<{ readonly batch: CheckedRows; readonly left: number }, void> {
  const isFirst = from === null || from.rows < chunkRows(NOTHING, chunk);
  const cuts = createChunkCuts(from, chunk);
  const more = isFirst ? 0 : (STRETCH - 1) * chunkRows(from, chunk) * SPARE;
  // One more, to be looked at.
  const limit = cuts.rows() + Math.round(more) + 1;
  const sent = createChunkCuts(from, chunk);
  const cut = {
    bytes: Infinity,
    rows: Infinity,
    mostBytes: chunk.bytes * MOST_TIMES,
    nextRows(taken: ReadSoFar | null) {
      if (taken !== null) sent.took(taken);
      return sent.rows();
    },
    likelyBytes: isFirst ? 0 : Math.min(chunk.bytes, MOST_LIKELY) * LIKELY_TIMES,
  };
  const values = { ...keyValues(from?.key ?? []), [CHUNK_ROWS]: String(limit) };
  const copied = reading.copy(from === null ? texts.firstChunk : texts.nextChunk, cut, values);
  for await (const batch of checkedRows(copied, texts.keyPlaces, limit)) {
    const { rows, bytes } = batch;
    yield { batch, left: cuts.took({ rows, bytes: bytes.length }) };
  }
}

function keptOf({ bytes, rows }: CheckedRows, { isMarked }: ReportTexts): KeptRows {
  return isMarked ? withoutMarked(bytes, rows) : { bytes, rows, leftOut: 0 };
}

function plus(so: ReadSoFar, { rows, bytes }: CheckedRows): ReadSoFar {
  return { rows: so.rows + rows, bytes: so.bytes + bytes.length };
}
