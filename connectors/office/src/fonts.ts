import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { coverageOf } from './program/coverage.ts';

/**
 * The font families that LibreOffice can print with here, so that an author learns which of a template's are not among
 * them; null where fontconfig is not there to be asked.
 */
export async function installedFonts(program = 'fc-list'): Promise<string[] | null> {
  const lines = await ask(program, '%{family}\n');
  if (lines === null) return null;
  // One font may have several names, in several languages.
  const names = lines.flatMap((line) => line.split(',')).map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))].toSorted();
}

/**
 * Where the fonts are, and the characters that they have. What fontconfig writes down about them while it looks goes to `cache`,
 * for the processes, which may only read.
 */
export async function readFonts(
  cache: string,
): Promise<{ readonly folders: readonly string[]; readonly coverage: Buffer }> {
  const lines = await ask('fc-list', '%{file}\t%{charset}\n', { XDG_CACHE_HOME: cache });
  const fonts = (lines ?? []).map((line) => line.split('\t'));
  return {
    folders: [...new Set(fonts.map(([file = '']) => dirname(file)))],
    coverage: coverageOf(fonts.map(([, charset = '']) => charset)),
  };
}

function ask(
  program: string,
  format: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string[] | null> {
  const options = { timeout: 10_000, env: { ...process.env, ...env }, maxBuffer: 100_000_000 };
  return new Promise((resolve) => {
    execFile(program, ['--format', format], options, (error, stdout) => {
      resolve(error === null ? stdout.split('\n').filter((line) => line !== '') : null);
    });
  });
}
