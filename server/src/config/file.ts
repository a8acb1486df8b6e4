import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearest } from '@millrace/api';
import { type YamlText, readYaml } from '@millrace/workload-kit';
import { environment } from './environment.ts';
import { ConfigError } from './error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The file beside the environment variables, of which it has the names. */
export interface SettingsFile {
  /** As people know it: what they wrote, or the usual name. */
  readonly name: string;
  readonly path: string;
  /** Settings of the file that the environment does not override. */
  readonly values: Readonly<Record<string, string>>;
  /** Where a setting stands, or a part of one, as `millrace.yaml:3:1`; null: not here. */
  place(setting: string, inside?: readonly PropertyKey[]): string | null;
}

export interface Gathered {
  /** The environment, and below it what the file says. */
  readonly environment: Environment;
  readonly file: SettingsFile | null;
}

const USUAL_NAME = 'millrace.yaml';
const NAMED_BY = 'MILLRACE_CONFIG';
/** Hides unparsable YAML, which may contain a secret. */
const LONG_NUMBER = /[-+]?\d[\d.e+-]{3,}/gi;

/**
 * The settings of a process that was started in this folder. The environment counts where both say something; an empty value in
 * it says nothing. Throws a `ConfigError`.
 */
export function gatherSettings(env: Environment, folder: string): Gathered {
  const named = env[NAMED_BY]?.trim() || null;
  const name = named ?? USUAL_NAME;
  const path = resolve(folder, name);
  const text = textOf(path, named);
  if (text === null) return { environment: env, file: null };
  const read = readYaml(text);
  const at = (place: { line: number; column: number }): string =>
    `${name}:${place.line}:${place.column}`;
  if ('misread' in read)
    throw new ConfigError(
      read.misread.map((each) => `${at(each)}: ${each.message.replaceAll(LONG_NUMBER, '…')}`),
    );
  const place: Place = (setting, inside = []) => {
    const parts = [setting, ...inside].filter((each) => typeof each !== 'symbol');
    return at(read.yaml.place(parts, { atKey: true }));
  };
  const said = settingsIn(read.yaml, place);
  const values = Object.fromEntries(
    Object.entries(said).filter(([setting]) => (env[setting]?.trim() ?? '') === ''),
  );
  const file: SettingsFile = {
    name,
    path,
    values,
    place: (setting, inside) => (Object.hasOwn(values, setting) ? place(setting, inside) : null),
  };
  return { environment: { ...env, ...values }, file };
}

/** Null: there is none, and nobody has said that there is. */
function textOf(path: string, named: string | null): string | null {
  try {
    // Without the mark that some editors begin a file with, which would count as a column.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT' && named === null) return null;
    throw new ConfigError([
      named === null
        ? `${USUAL_NAME}: it is there, and cannot be read (${code}).`
        : `${NAMED_BY}: ${path} cannot be read (${code}).`,
    ]);
  }
}

type Place = (setting: string, inside?: readonly PropertyKey[]) => string;

function settingsIn(yaml: YamlText, place: Place): Record<string, string> {
  const { value } = yaml;
  // An empty file, or one of comments.
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ConfigError([`${place('')}: Write one setting a line, such as PORT: 3000.`]);
  const problems: string[] = [];
  const settings: Record<string, string> = {};
  for (const [name, written] of Object.entries(value)) {
    const text = refusalOf(name) ?? valueOf(name, written, yaml);
    if ('refused' in text) problems.push(`${place(name)}: ${name}: ${text.refused}`);
    else if (text.value !== '') settings[name] = text.value;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}

type Read = { readonly value: string } | { readonly refused: string };

function refusalOf(name: string): Read | null {
  if (name === NAMED_BY)
    return { refused: 'names this file, and is read from the environment alone.' };
  const known = Object.keys(environment.shape);
  if (known.includes(name)) return null;
  const meant = nearest(name, known);
  const hint = meant === null ? '' : ` Did you mean ${meant}?`;
  return { refused: `there is no such setting.${hint}` };
}

/** As an environment variable would have it: all of them are texts. */
function valueOf(name: string, written: unknown, yaml: YamlText): Read {
  if (written === null) return { value: '' };
  const text = yaml.written([name]);
  if (text !== null) return { value: text };
  if (takesJson(name)) return { value: JSON.stringify(written) };
  if (!Array.isArray(written)) return { refused: 'Write a text, a number, true or false.' };
  const entries = written.map((_, index) => yaml.written([name, index]));
  return entries.some((entry) => entry === null || entry.includes(','))
    ? { refused: 'Write a list of texts, none of which has a comma in it.' }
    : { value: entries.join(',') };
}

/** Whether a setting's value is JSON: only those have a default that is. */
function takesJson(name: string): boolean {
  const { fallback } = (environment.shape[name as keyof typeof environment.shape].meta() ?? {}) as {
    fallback?: string | null;
  };
  return /^[[{]/.test(fallback ?? '');
}
