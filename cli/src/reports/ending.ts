import { type Compression, FORMATS, type Format } from '@millrace/reports/contract';
import { UsageError } from '../line/usage-error.ts';

/** Format and compression of a file; absent ones use the report's default. */
export interface Choice {
  readonly format?: Format;
  readonly compression?: Compression | null;
}

export interface ChoiceWishes {
  readonly output?: string;
  readonly format?: Format;
  readonly compression?: Compression | 'none';
}

const PACKED: Readonly<Record<string, Compression>> = { gz: 'gzip', zst: 'zstd' };

/** `out.csv.gz` says CSV and gzip. What is said twice has to be the same: a CSV that is called .xlsx would not open. */
export function choiceOf({ output, format, compression }: ChoiceWishes): Choice {
  const [, stem = '', ending] = /^(.*)\.(gz|zst)$/i.exec(output ?? '') ?? [];
  const packed = ending === undefined ? undefined : PACKED[ending.toLowerCase()];
  const named = formatNamed(packed === undefined ? (output ?? '') : stem);
  if (format !== undefined && named !== undefined && format !== named)
    throw new UsageError(`"${output}" would hold ${format.toUpperCase()}. Call it .${format}.`);
  if (compression !== undefined && packed !== undefined && compression !== packed)
    throw new UsageError(
      `"${output}" says ${packed}, and --compression ${compression}. Leave one out.`,
    );
  const chosen = format ?? named;
  if (chosen === undefined && hasEnding(packed === undefined ? (output ?? '') : stem))
    throw new UsageError(`"${output}" has no known suffix. Use ${ENDINGS}, or give --format.`);
  const how = compression === undefined ? packed : compression === 'none' ? null : compression;
  return {
    ...(chosen !== undefined && { format: chosen }),
    // A name such as out.csv is of a file that is not packed, whatever is usual.
    ...(how !== undefined ? { compression: how } : named !== undefined && { compression: null }),
  };
}

const ENDINGS = new Intl.ListFormat('en', { type: 'disjunction' }).format(
  FORMATS.map((each) => `.${each}`),
);

/** Whether a name has some suffix. An unknown one is refused: `out.xls` would contain CSV, which Excel warns about, and `out.json` would not be valid JSON. */
function hasEnding(name: string): boolean {
  return /[^/\\.]\.[a-z][a-z0-9]{0,9}$/i.test(name);
}

function formatNamed(name: string): Format | undefined {
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase();
  return FORMATS.find((each) => each === ending);
}
