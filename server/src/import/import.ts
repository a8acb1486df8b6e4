import type { Database, Session, Statement } from '@millrace/store-postgres';
import { ImportRefused, type Imported, type Importer } from '@millrace/workload-kit';
import { workloads } from '@millrace/workloads';
import { ZodError } from 'zod';
import type { Config } from '../config/config.ts';
import { ProgramRefused } from '../program.ts';

/** One line of the file, and what became of it. */
export type ImportEvent = {
  readonly type: 'line';
  /** The word of the workload: query, snippet, report. */
  readonly what: string;
  /** The id in the other system. */
  readonly id: string;
} & Imported;

// Two imports of one file at the same moment: the second finds what the first has added.
const LOCK: Statement = {
  name: '',
  text: `SELECT pg_advisory_xact_lock(hashtext('millrace.import'))`,
};

/** Imports the lines of another system in one transaction, all or none. `read` may be called again. */
export function importLines(
  database: Database,
  configs: Config['workloads'],
  read: () => AsyncIterable<string>,
): Promise<ImportEvent[]> {
  const importers = importersOf(configs);
  return database.transaction(async (session) => {
    await session.query(LOCK, []);
    const events: ImportEvent[] = [];
    let number = 0;
    for await (const text of read()) {
      number += 1;
      if (text.trim() !== '') events.push(await importLine(session, importers, number, text));
    }
    return events;
  });
}

type Importers = ReadonlyMap<string, (session: Session, line: unknown) => Promise<Imported>>;

function importersOf(configs: Config['workloads']): Importers {
  return new Map(
    workloads.flatMap(({ name, imports = {} }) =>
      configs.has(name)
        ? Object.entries(imports).map(
            ([what, importer]: [string, Importer<unknown>]) =>
              [
                what,
                (session: Session, line: unknown) => importer.add(session, line, configs.get(name)),
              ] as const,
          )
        : [],
    ),
  );
}

async function importLine(
  session: Session,
  importers: Importers,
  number: number,
  text: string,
): Promise<ImportEvent> {
  const refused = (why: string): ProgramRefused =>
    new ProgramRefused('line_refused', 'refused', `Line ${number}: ${why} Nothing was imported.`);
  const { import: what, ...line } = objectIn(text) ?? {};
  const add = importers.get(textOf(what));
  if (add === undefined)
    throw refused(
      `this is no JSON object with "import" in it, which is one of ${[...importers.keys()].join(', ')}.`,
    );
  try {
    const imported = await add(session, line);
    return {
      type: 'line',
      what: textOf(what),
      id: textOf(line['id'] ?? line['name']),
      ...imported,
    };
  } catch (error) {
    if (error instanceof ImportRefused) throw refused(error.message);
    if (error instanceof ZodError)
      throw refused(
        error.issues
          .map((issue) => `${issue.path.join('.')}: ${sentence(issue.message)}`)
          .join(' '),
      );
    throw error;
  }
}

/** Read before it is known to be as its schema says. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : null;
  } catch {
    return null;
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
