import { nearest } from '@millrace/api';
import { type JobKind, MillraceError, type Registry } from '@millrace/engine';

/** The kind of this name; where there is none, what was probably meant, of those that the caller could name here. */
export function requireKind(
  registry: Registry,
  name: string,
  canBeNamed: (kind: JobKind) => boolean,
): JobKind {
  const kind = registry.get(name);
  if (kind !== undefined) return kind;
  const names = registry
    .all()
    .filter(canBeNamed)
    .map((each) => each.kind);
  const meant = nearest(name, names);
  const hint =
    meant === null ? ` Known kinds: ${names.join(', ') || 'none'}.` : ` Did you mean "${meant}"?`;
  throw new MillraceError('unknown_kind', `Unknown kind "${name}".${hint}`);
}
