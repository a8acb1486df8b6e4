import { createHash } from 'node:crypto';
import type { Checked } from './check.ts';
import type { FoundFile } from './read.ts';
import type {
  Complaint,
  Definition,
  Definitions,
  FilePath,
  FileProblem,
  TroubledFile,
} from './types.ts';
import { type Place, type YamlText, readYaml } from './yaml.ts';

/** A file as it was read: the version that it holds, or what is wrong with it by itself. */
export interface ReadFile<Value> {
  readonly file: string;
  readonly name: string | null;
  readonly version: Version<Value> | null;
  readonly problems: readonly FileProblem[];
}

export interface Version<Value> {
  readonly definition: Definition<Value>;
  readonly yaml: YamlText;
}

/** What is wrong with definitions together, such as one that refers to another which is not there. */
export type Review<Value> = (params: {
  /** Those that would be in force, in the order of names. */
  readonly definitions: ReadonlyMap<string, Definition<Value>>;
  /** Of these, the names of those that are new or have changed: what they break is their fault. */
  readonly changed: ReadonlySet<string>;
  /** All names of files, also of files that cannot be in force. */
  readonly names: ReadonlySet<string>;
}) => readonly (Complaint & { readonly name: string })[];

/** Holds one file against its schema. */
export function examine<Value>(
  { file, name, text, why }: FoundFile,
  check: (name: string, value: unknown) => Checked<Value>,
): ReadFile<Value> {
  const problem = (place: Place, message: string): FileProblem => ({
    file,
    line: place.line,
    column: place.column,
    message,
  });
  const broken = (problems: readonly FileProblem[]) => ({ file, name, version: null, problems });
  if (name === null || text === null)
    return broken([problem({ line: 1, column: 1 }, why ?? 'The file cannot be read.')]);
  const read = readYaml(text);
  if ('misread' in read) return broken(read.misread.map((each) => problem(each, each.message)));
  const { yaml } = read;
  const checked = check(name, yaml.value);
  if ('complaints' in checked)
    return broken(checked.complaints.map((each) => complained(file, yaml, each)));
  const kept = JSON.stringify(yaml.value);
  const definition = {
    name,
    file,
    value: checked.value,
    text: kept,
    digest: createHash('sha256').update(kept).digest('hex'),
  };
  return { file, name, version: { definition, yaml }, problems: [] };
}

function complained(
  file: string,
  yaml: YamlText,
  { path, message, atKey, within }: Complaint,
): FileProblem {
  const { line, column } = yaml.place(path, { atKey: atKey === true, within: within ?? 0 });
  const owner = pathWords(yaml.asWritten(path));
  return { file, line, column, message: owner === '' ? capital(message) : `${owner}: ${message}` };
}

/** `parameters.from.default`, `rows[1]`. */
function pathWords(path: FilePath): string {
  return path.reduce<string>(
    (words, step) =>
      typeof step === 'number' ? `${words}[${step}]` : words === '' ? step : `${words}.${step}`,
    '',
  );
}

function capital(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}

/**
 * Decides what is in force: of each file the version that it holds, else the one that was in force before. A version that does
 * not fit the others gives way to the one before it, and what then does not fit is looked at again, so that what is in force
 * fits together. Only what others have taken away from a file that did not change is put up with: its version stays, and the
 * problem is shown. Ends, since each round takes back at least one version.
 */
export function settle<Value>(
  before: ReadonlyMap<string, Version<Value>>,
  files: readonly ReadFile<Value>[],
  review: Review<Value>,
): {
  readonly versions: ReadonlyMap<string, Version<Value>>;
  readonly definitions: Definitions<Value>;
} {
  const named = files.flatMap((each) => (each.name === null ? [] : [{ ...each, name: each.name }]));
  const versions = new Map<string, Version<Value>>();
  const changed = new Set<string>();
  for (const { name, version } of named) {
    const older = before.get(name);
    const candidate = version ?? older;
    if (candidate === undefined) continue;
    versions.set(name, candidate);
    if (candidate.definition.digest !== older?.definition.digest) changed.add(name);
  }
  const found = new Map(files.map(({ file, problems }) => [file, [...problems]]));
  const names = new Set(named.map(({ name }) => name));
  const current = new Map(named.map(({ name, version }) => [name, version]));

  const note = (complaints: ReturnType<Review<Value>>) => {
    for (const complaint of complaints) {
      const version = current.get(complaint.name);
      // Where an older version is in force, the file no longer says what the complaint is about.
      if (version == null || version !== versions.get(complaint.name)) continue;
      const { file } = version.definition;
      found.get(file)?.push(complained(file, version.yaml, complaint));
    }
  };

  const inForceOf = (name: string) => {
    const version = versions.get(name);
    if (version === undefined) return null;
    return version === current.get(name) ? 'this' : 'older';
  };

  for (;;) {
    const complaints = review({ definitions: definitionsOf(versions), changed, names });
    const refused = complaints.filter(({ name }) => changed.has(name));
    note(refused.length > 0 ? refused : complaints);
    if (refused.length === 0) break;
    for (const { name } of refused) {
      changed.delete(name);
      const older = before.get(name);
      if (older === undefined) versions.delete(name);
      else versions.set(name, older);
    }
  }

  const troubled = files.flatMap(({ file, name }): TroubledFile[] => {
    const problems = found.get(file) ?? [];
    if (problems.length === 0) return [];
    return [{ file, name, inForce: name === null ? null : inForceOf(name), problems }];
  });
  return { versions, definitions: { inForce: definitionsOf(versions), troubled } };
}

function definitionsOf<Value>(
  versions: ReadonlyMap<string, Version<Value>>,
): Map<string, Definition<Value>> {
  return new Map([...versions].map(([name, { definition }]) => [name, definition]));
}
