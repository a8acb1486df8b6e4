import { createHash } from 'node:crypto';
import { checkReport } from '../src/catalogue/report.ts';
import type { ReportDefinition } from '../src/catalogue/types.ts';

/** A report as its file would have it; `file` is what the YAML says. */
export function definitionOf(
  name: string,
  file: Readonly<Record<string, unknown>>,
): ReportDefinition {
  const value = { title: name, ...file };
  const checked = checkReport(name, value, { timeZone: 'UTC' });
  if ('complaints' in checked) throw new Error(JSON.stringify(checked.complaints));
  const text = JSON.stringify(value);
  const digest = createHash('sha256').update(text).digest('hex');
  return { name, file: `${name}.yaml`, value: checked.value, text, digest };
}
