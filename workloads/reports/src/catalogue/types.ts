import type { Definition, Definitions, FileProblem, TroubledFile } from '@millrace/workload-kit';
import type { Compression, TableFormat } from '@millrace/tables';
import type { RowRule, ServiceIdentity } from '../identity/types.ts';
import type { GivenParameters, Parameter } from '../parameters/types.ts';
import type { OutputChoice } from '../output.ts';
import type { AfterRule } from '../rules/types.ts';

/** A report as its file says it, with its defaults. */
export interface Report {
  readonly name: string;
  readonly title: string;
  readonly description: string | null;
  /** In the order of the file. */
  readonly parameters: readonly Parameter[];
  /** With `:name` for each value. */
  readonly sql: string;
  /** Columns of the result that are, together, different in each row and never NULL. The rows come in their order. */
  readonly key: readonly string[];
  /** By name: those that the file says something about. */
  readonly columns: readonly ReportColumn[];
  /** None: the report is public. */
  readonly rows: readonly RowRule[];
  readonly public: boolean;
  /** What sums, counts, windows and LIMIT in the SQL are of: the rows that the reader sees, or all. */
  readonly totals: 'visible rows' | 'all rows';
  /** A column of times: rows changed after the job's first start are left out. */
  readonly asOf: string | null;
  readonly outputs: Outputs;
  /** CSV: text that a spreadsheet would run as a formula gets a `'` in front. */
  readonly formulaGuard: boolean;
  /** How long the file is kept; null: as the settings say. */
  readonly expiresMs: number | null;
  readonly timeZone: string;
  /** Of a job; null: as the settings say. */
  readonly timeoutMs: number | null;
  readonly schedules: readonly ReportSchedule[];
  readonly after: readonly AfterRule[];
  readonly cover: Cover | null;
  /** Whether the submitter's token is kept, encrypted, while the job lives. */
  readonly keepToken: boolean;
  /** Gets a signed POST when the file is there; null: nobody does. */
  readonly handOver: string | null;
}

/** A column of the result, where the file says more than its name. */
export interface ReportColumn {
  readonly name: string;
  readonly label: string | null;
  readonly format: ColumnFormat | null;
  /** For keys and row rules only: it is not written. */
  readonly hidden: boolean;
}

export type ColumnFormat =
  | { readonly as: 'text' | 'whole number' | 'date' | 'date and time' | 'boolean' }
  | { readonly as: 'decimal'; readonly places: number };

/** What a report may be written as. */
export interface Outputs {
  /** The first one is taken where nobody says. */
  readonly formats: readonly TableFormat[];
  /** Where nobody says; null: none. */
  readonly compression: Compression | null;
  /** The name of the file without its ending, with `{parameter}`, `{report}`, `{created}` and `{job}`. */
  readonly file: string;
}

export interface ReportSchedule {
  /** In the engine: `report:<report>`, or `report:<report>:<its own name or number>`. */
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly parameters: GivenParameters;
  /** A service identity. */
  readonly as: string;
  readonly output: OutputChoice;
  readonly missed: 'last' | 'skip' | 'all';
  readonly overlap: 'skip' | 'allow';
}

/** A sheet about the report as a PDF, which the documents workload makes of one of its templates. */
export interface Cover {
  readonly template: string;
  /** `rows`: not for a report without rows. */
  readonly when: 'always' | 'rows';
}

export type ReportDefinition = Definition<Report>;

/** The catalogue at one moment. It never changes: the next moment has another. */
export interface CatalogueView {
  readonly reports: ReadonlyMap<string, ReportDefinition>;
  readonly services: ReadonlyMap<string, ServiceIdentity>;
  readonly troubled: readonly TroubledFile[];
}

export type { Definitions, FileProblem, TroubledFile };

/** The folder of report files, as it is now. */
export interface Catalogue {
  now(): CatalogueView;
  /** Reads the folder once. Wrong files are no reason to throw. */
  load(): Promise<void>;
  /** Reads it again and looks for changes from then on. */
  open(): Promise<void>;
  close(): Promise<void>;
  /** Called after each change of what is in force or wrong. Gives what ends it. */
  onChange(listener: (view: CatalogueView) => void): () => void;
  /** The version with this digest, if it is in force or was since the process began. */
  version(name: string, digest: string): ReportDefinition | null;
}
