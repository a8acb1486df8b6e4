import { type Compression, type TableFormat, fileTypeOf, hasZstandard } from '@millrace/tables';
import type { Complain } from '@millrace/workload-kit';
import type { OutputChoice } from '../output.ts';
import type { Parameter, ResolvedParameters } from '../parameters/types.ts';
import { RESERVED } from './parameters.ts';
import type { OutputWords, ReportFile } from './schema.ts';
import type { Outputs } from './types.ts';

const ALL_FORMATS: readonly TableFormat[] = ['csv', 'xlsx', 'jsonl', 'parquet'];
/** The others are compressed in themselves. */
const COMPRESSED: readonly TableFormat[] = ['csv', 'jsonl'];
const MOST_OF_VALUE = 60;
const MOST_OF_NAME = 150;

export function outputsOf(
  words: ReportFile['outputs'],
  parameters: readonly Parameter[],
  complain: Complain,
): Outputs {
  const formats = [...new Set(words?.formats ?? ALL_FORMATS)];
  const compression = words?.compression ?? 'none';
  const outputs = {
    formats,
    compression: compression === 'none' ? null : compression,
    file: words?.file ?? '{report}',
  };
  if (outputs.compression !== null && !formats.some((each) => COMPRESSED.includes(each)))
    complain(
      ['outputs', 'compression'],
      `${formats.join(' and ')} files are compressed in themselves. Remove it.`,
    );
  if (outputs.compression === 'zstd' && !hasZstandard())
    complain(
      ['outputs', 'compression'],
      'this version of Node has no zstd. Write gzip, or run Node 22.15 or later.',
    );
  checkPattern(outputs.file, parameters, (message) => complain(['outputs', 'file'], message));
  return outputs;
}

/** What someone asked for, as far as they said it, held against what the report allows. */
export function chooseOutput(
  outputs: Outputs,
  asked: OutputWords,
): { readonly output: OutputChoice } | { readonly wrong: string } {
  const { formats } = outputs;
  const format = asked.format ?? formats[0] ?? 'csv';
  if (!formats.includes(format))
    return { wrong: `The report is written as ${formats.join(', ')}, and not as ${format}.` };
  const isCompressed = COMPRESSED.includes(format);
  const compression = compressionOf(asked.compression, isCompressed ? outputs.compression : null);
  if (compression !== null && !isCompressed)
    return {
      wrong: `A file of the format ${format} is compressed in itself. Leave compression out.`,
    };
  if (compression === 'zstd' && !hasZstandard())
    return { wrong: 'This server has no zstd: it takes Node 22.15 or later. Ask for gzip.' };
  return { output: { format, compression } };
}

function compressionOf(
  asked: OutputWords['compression'],
  usual: Compression | null,
): Compression | null {
  if (asked === undefined) return usual;
  return asked === 'none' ? null : asked;
}

function checkPattern(
  pattern: string,
  parameters: readonly Parameter[],
  complain: (message: string) => void,
): void {
  const known = [...RESERVED, ...parameters.map(({ name }) => name)];
  for (const [, name = ''] of pattern.matchAll(/\{([^{}]*)\}/g))
    if (!known.includes(name))
      complain(`there is no {${name}}. There are ${known.map((each) => `{${each}}`).join(', ')}.`);
  const rest = pattern.replaceAll(/\{[^{}]*\}/g, '');
  if (/[{}]/.test(rest)) complain('a brace is not closed, or closes nothing.');
  if (/[/\\:*?"<>|\p{Cc}]/u.test(rest))
    complain('the name of a file has no / \\ : * ? " < > | in it.');
}

/** The name under which the file of a job is downloaded, with its ending. */
export function fileNameOf(
  report: { readonly name: string; readonly outputs: Outputs },
  job: {
    readonly id: string;
    /** As a date, `2026-01-31`. */
    readonly created: string;
    readonly parameters: ResolvedParameters;
    readonly output: OutputChoice;
  },
): string {
  const words: Record<string, string> = {
    report: report.name,
    created: job.created,
    job: job.id,
  };
  const name = report.outputs.file.replaceAll(/\{([^{}]*)\}/g, (_, key: string) =>
    safe(Object.hasOwn(words, key) ? (words[key] ?? '') : textOf(job.parameters, key)),
  );
  const { extension } = fileTypeOf(job.output.format, job.output.compression);
  return `${Array.from(name).slice(0, MOST_OF_NAME).join('').replace(/^\.+/, '') || report.name}${extension}`;
}

function textOf(parameters: ResolvedParameters, name: string): string {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : null;
  if (value === null || value === undefined) return 'all';
  return typeof value === 'string' ? value : value.join('-');
}

/** Whatever people have typed becomes a part of a file's name, and never a path. */
function safe(text: string): string {
  const plain = text.replaceAll('..', '-to-').replaceAll(/[^\p{L}\p{N}._]+/gu, '-');
  return (
    Array.from(plain)
      .slice(0, MOST_OF_VALUE)
      .join('')
      .replaceAll(/^-+|-+$/g, '') || 'all'
  );
}
