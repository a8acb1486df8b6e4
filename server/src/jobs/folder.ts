import { readdir, realpath } from 'node:fs/promises';
import { register as registerHooks } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type JobKind,
  type Registry,
  type Rule,
  type Schedule,
  checkRule,
  checkSchedule,
} from '@millrace/engine';
import { StartError } from '../start-error.ts';
import { loadErrorInWords } from './load-error.ts';
import { VERSION } from './version-query.ts';

/** The declarations of the folder's files. */
export interface LoadedJobs {
  readonly kinds: readonly JobKind[];
  readonly rules: readonly Rule[];
  readonly schedules: readonly Schedule[];
  /** Files that declare nothing: helpers, or a forgotten `export`. */
  readonly idle: readonly string[];
  /** Checks that need all kinds, each with its file and export for the error message. */
  check(registry: Registry): void;
}

const JOB_FILE = /^[^._].*\.(ts|mts|js|mjs)$/;
const NOT_A_JOB_FILE = /\.(test|spec|d)\.m?[jt]s$/;

/**
 * Imports every job file of the folder, not of its subfolders: those are for what job files share.
 * One that cannot be loaded stops the start, since its jobs would wait for ever. Another `version` loads them again, with all
 * that they import from the folder: Node loads what it knows by the same address only once.
 */
export async function loadJobs(
  folder: string,
  mustExist: boolean,
  version = 0,
): Promise<LoadedJobs> {
  const files = await jobFiles(folder, mustExist);
  if (files.length > 0) await prepareLoader(folder);
  const found: Found = { kinds: new Map(), rules: new Map(), schedules: new Map() };
  const idle: string[] = [];
  for (const file of files) {
    const path = join(folder, file);
    const taken = Object.entries(await load(path, folder, version)).map(([name, value]) =>
      take(found, value, { file: path, name }),
    );
    if (!taken.includes(true)) idle.push(file);
  }
  return {
    kinds: [...found.kinds.values()].map(({ value }) => value),
    rules: [...found.rules.values()].map(({ value }) => value),
    schedules: [...found.schedules.values()].map(({ value }) => value),
    idle,
    check(registry) {
      for (const { value, place } of found.rules.values())
        inPlace(place, () => checkRule(registry, value));
      for (const { value, place } of found.schedules.values())
        inPlace(place, () => checkSchedule(registry, value));
    },
  };
}

/** Where something was declared. */
interface Place {
  readonly file: string;
  /** The name of the export. */
  readonly name: string;
}

function inPlace({ file, name }: Place, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    throw new StartError(`${file}, export "${name}": ${reason(error)}`, { cause: error });
  }
}

/** Their names. */
export async function jobFiles(folder: string, mustExist: boolean): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name)
      .filter((name) => JOB_FILE.test(name) && !NOT_A_JOB_FILE.test(name))
      .toSorted();
  } catch (error) {
    if (!mustExist && isMissing(error)) return [];
    throw new StartError(
      `The jobs folder "${folder}" cannot be read: ${reason(error)}. Set MILLRACE_JOBS to the folder with your job files.`,
      { cause: error },
    );
  }
}

let prepared = false;

/** Hooks last for the life of the process: a handler may import more while it runs. */
async function prepareLoader(folder: string): Promise<void> {
  if (prepared) return;
  prepared = true;
  process.setSourceMapsEnabled(true); // stacks show the lines that people wrote
  registerHooks(new URL(`./loader${extname(import.meta.url)}`, import.meta.url), {
    // Modules are known by their real path, and a mounted folder is often a link.
    data: { folder: pathToFileURL(`${await realpath(folder)}/`).href },
  });
}

async function load(
  path: string,
  folder: string,
  version: number,
): Promise<Record<string, unknown>> {
  try {
    const { href } = pathToFileURL(resolve(path));
    const address = version === 0 ? href : `${href}?${VERSION}=${version}`;
    return (await import(address)) as Record<string, unknown>;
  } catch (error) {
    throw new StartError(
      `The job file ${path} cannot be loaded: ${loadErrorInWords(error, path, folder)}`,
      { cause: error },
    );
  }
}

interface Found {
  readonly kinds: Named<JobKind>;
  readonly rules: Named<Rule>;
  readonly schedules: Named<Schedule>;
}
type Named<Value> = Map<string, { readonly place: Place; readonly value: Value }>;

/**
 * Sorts an export into kinds, rules and schedules, by its shape: a job file may have its own copy of the engine.
 * False for any other export.
 */
function take(found: Found, value: unknown, place: Place): boolean {
  if (!isObject(value)) return false;
  if (isKind(value)) return keep(found.kinds, 'job kinds', value.kind, value, place);
  if (isRule(value)) return keep(found.rules, 'rules', value.name, value, place);
  if (isSchedule(value)) return keep(found.schedules, 'schedules', value.name, value, place);
  if (typeof value['kind'] === 'string' && typeof value['run'] === 'function') {
    throw new StartError(
      `${place.file} exports the job kind "${value['kind']}" without defineJob. Write: export const … = defineJob({ … })`,
    );
  }
  return false;
}

function keep<Value>(
  known: Named<Value>,
  what: string,
  name: string,
  value: Value,
  place: Place,
): boolean {
  const other = known.get(name);
  if (other !== undefined && other.value !== value) {
    throw new StartError(
      `Two ${what} are called "${name}": one in ${other.place.file}, one in ${place.file}. Rename one of them.`,
    );
  }
  if (other === undefined) known.set(name, { place, value });
  return true;
}

type Fields = Readonly<Record<string, unknown>>;

function isKind(value: Fields): value is Fields & JobKind {
  return (
    typeof value['kind'] === 'string' &&
    typeof value['run'] === 'function' &&
    typeof value['maxAttempts'] === 'number' &&
    isObject(value['input'])
  );
}

function isRule(value: Fields): value is Fields & Rule {
  return (
    typeof value['name'] === 'string' &&
    Array.isArray(value['parents']) &&
    typeof value['child'] === 'string' &&
    typeof value['data'] === 'function'
  );
}

function isSchedule(value: Fields): value is Fields & Schedule {
  return (
    typeof value['name'] === 'string' && typeof value['cron'] === 'string' && isObject(value['job'])
  );
}

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === 'object';
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
