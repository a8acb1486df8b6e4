import { nearest } from '@millrace/api';
import type { z } from 'zod';
import { environment } from './environment.ts';
import { ConfigError } from './error.ts';
import type { SettingsFile } from './file.ts';

/** Settings as they were given, all of them texts. */
export type Given = Readonly<Record<string, string | undefined>>;

/** The values of some settings, looked at one by one and together. Throws everything that is wrong with them as a `ConfigError`. */
export function checkGiven<Settings extends z.ZodObject>(params: {
  readonly env: Given;
  /** Where some of them stand. */
  readonly file: SettingsFile | null;
  readonly settings: Settings;
  contradictions(values: z.output<Settings>, given: Given): readonly string[];
}): { values: z.output<Settings>; given: Given } {
  const { file, settings } = params;
  // Compose files and shells give empty values to what was never set.
  const given: Given = Object.fromEntries(
    Object.entries(params.env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const parsed = settings.safeParse(given);
  const problems = [
    ...unknownSettings(Object.keys(given)).map((problem) => withPlace(problem, file)),
    ...(parsed.error?.issues ?? []).map(({ path: [name, ...inside], message }) =>
      withPlace(`${String(name)}: ${message}`, file, inside),
    ),
    ...(parsed.success ? params.contradictions(parsed.data, given) : []).map((problem) =>
      withPlace(problem, file),
    ),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return { values: parsed.data, given };
}

/** Every problem begins with the setting; of one that stands in the file, the place comes first: that of the part which is wrong. */
function withPlace(
  problem: string,
  file: SettingsFile | null,
  inside: readonly PropertyKey[] = [],
): string {
  const place = file?.place(/^\w+/.exec(problem)?.[0] ?? '', inside) ?? null;
  return place === null ? problem : `${place}: ${problem}`;
}

/**
 * Variables of the command line, not of the server: they may well be set in the shell that starts a server, and are
 * no mistake there.
 */
const OF_OTHERS = ['MILLRACE_URL', 'MILLRACE_TOKEN', 'MILLRACE_TENANT', 'MILLRACE_CLIENT_SECRET'];

function unknownSettings(names: readonly string[]): string[] {
  const known = Object.keys(environment.shape);
  return names
    .filter((name) => name.startsWith('MILLRACE_') || isSlip(name, names))
    .filter((name) => !known.includes(name) && !OF_OTHERS.includes(name))
    .map((name) => {
      const meant = nearest(name, known);
      return `${name}: there is no such setting.${meant === null ? '' : ` Did you mean ${meant}?`}`;
    });
}

/** DATABASE_SLL must not leave TLS out without a word; DATABASE_USER and the like are of others. */
function isSlip(name: string, names: readonly string[]): boolean {
  const known = Object.keys(environment.shape).filter((each) => each.startsWith('DATABASE_'));
  const meant = name.startsWith('DATABASE_') ? nearest(name, known, 1) : null;
  return meant !== null && !names.includes(meant);
}
