import type { Reading, SqlSource } from '@millrace/sql-source';
import {
  type Column,
  type CopiedTableOptions,
  type TableFormat,
  type TableState,
  createCopiedTable,
} from '@millrace/tables';
import { openTestSource, reading as within } from '../../../connectors/sql-source/test/sources.ts';
import type { Report } from '../src/catalogue/types.ts';
import type { PlanDecision } from '../src/sql/plan.ts';
import { CannotGoOn, type ReadBatch, type ReadPosition, readReport } from '../src/sql/read.ts';
import { type ReportShape, shapeOf } from '../src/sql/shape.ts';
import { type ReportTexts, textsOf } from '../src/sql/texts.ts';
import { isLong } from '../../../scripts/need.mjs';

/** A database that reports are read from, and a way to change it. */
export interface SqlWorld {
  readonly source: SqlSource;
  change(sql: string): Promise<void>;
  /** One reading, ended afterwards. */
  within<T>(work: (reading: Reading) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** That of this run, for files named `*.both.test.ts`: what differs, the connector tests. */
export const WORLDS = [
  isLong
    ? (['PGlite', () => openWorld('embedded')] as const)
    : (['Postgres', () => openWorld('postgres')] as const),
];

async function openWorld(kind: SqlSource['kind']): Promise<SqlWorld> {
  const { source, script, drop } = await openTestSource(kind);
  return { source, change: script, within: (work) => within(source, work), close: drop };
}

export interface SomeReport extends Partial<Pick<Report, 'columns' | 'asOf' | 'timeZone'>> {
  readonly sql: string;
  readonly key: readonly string[];
  readonly where?: string;
}

export async function shapeIn(reading: Reading, given: SomeReport): Promise<ReportShape> {
  const { sql, key, columns = [], asOf = null, timeZone = 'UTC', where = null } = given;
  const shape = shapeOf({
    report: { key, columns, asOf, timeZone },
    sql,
    given: await reading.describe(sql),
    where,
  });
  if ('problems' in shape) throw new Error(shape.problems.join(' '));
  return shape;
}

export interface ReadFile {
  readonly bytes: Buffer;
  readonly state: TableState;
  readonly batches: readonly ReadBatch[];
  readonly decisions: readonly PlanDecision[];
  readonly texts: ReportTexts;
  readonly columns: readonly Column[];
}

interface ReadOptions {
  readonly format: TableFormat;
  readonly chunk?: { readonly bytes: number; readonly rows: number };
  readonly compression?: CopiedTableOptions['compression'];
  readonly values?: Readonly<Record<string, string>>;
}

/** What a run keeps between two executions. */
interface Saved {
  readonly kept: Buffer;
  readonly table: TableState;
  readonly position: ReadPosition;
}

const SMALL = { bytes: 2_000, rows: 20 };

/** The report as a file. `stopAfter`: an execution ends after so many batches, and another goes on from what was saved. */
export async function fileOfReport(
  world: SqlWorld,
  report: SomeReport,
  options: ReadOptions,
  stopAfter = Infinity,
): Promise<ReadFile> {
  const { format, chunk = SMALL, compression = null, values = {} } = options;
  const batches: ReadBatch[] = [];
  const decisions: PlanDecision[] = [];

  async function execution(reading: Reading, saved: Saved | null): Promise<Saved | ReadFile> {
    await reading.set(values);
    const texts = textsOf(await shapeIn(reading, report), format);
    const { columns, hidden } = texts;
    const table = createCopiedTable({ format, compression, columns, hidden }, saved?.table);
    const pieces: Uint8Array[] = saved === null ? [] : [saved.kept];
    const from = saved?.position ?? null;
    let count = 0;
    const onDecision = (decision: PlanDecision) => decisions.push(decision);
    for await (const batch of readReport({ reading, texts, chunk, from, onDecision })) {
      pieces.push(...table.write(batch));
      batches.push(batch);
      count += 1;
      if (count < stopAfter) continue;
      const position = JSON.parse(JSON.stringify(batch.position)) as ReadPosition;
      const state = JSON.parse(JSON.stringify(table.state())) as TableState;
      return { kept: Buffer.concat(pieces), table: state, position };
    }
    const bytes = Buffer.concat([...pieces, ...table.end()]);
    return { bytes, state: table.state(), batches, decisions, texts, columns };
  }

  for (let saved: Saved | null = null; ;) {
    const before: Saved | null = saved;
    try {
      const after: Saved | ReadFile = await world.within((reading) => execution(reading, before));
      if ('bytes' in after) return after;
      saved = after;
    } catch (error) {
      if (!(error instanceof CannotGoOn)) throw error;
      return fileOfReport(world, report, options);
    }
  }
}
