import { nearest } from '@millrace/api';
import { type JobKind, MillraceError, type Registry } from '@millrace/engine';
import type { Config } from '../config/config.ts';

/** So many names fit into a sentence. */
const MOST_NAMED = 20;

/** The kind of this name; where there is none, what was probably meant, of those that the caller could name here. */
export function requireKind(
  registry: Registry,
  name: string,
  canBeNamed: (kind: JobKind) => boolean,
  { jobsFolder, production }: Pick<Config, 'jobsFolder' | 'production'>,
): JobKind {
  const kind = registry.get(name);
  if (kind !== undefined) return kind;
  const names = registry
    .all()
    .filter(canBeNamed)
    .map((each) => each.kind);
  const meant = nearest(name, names);
  const shown = names.slice(0, MOST_NAMED).join(', ') || 'none';
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const hint = meant === null ? ` Known kinds: ${shown}${more}.` : ` Did you mean "${meant}"?`;
  // Where the job files are mounted, is nothing for everybody who may enqueue.
  const folder = production ? 'the folder that MILLRACE_JOBS names' : jobsFolder;
  throw new MillraceError(
    'unknown_kind',
    `Unknown kind "${name}".${hint} Job files are read from ${folder}.`,
  );
}
