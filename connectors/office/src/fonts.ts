import { execFile } from 'node:child_process';

/**
 * The font families that LibreOffice can print with here, so that an author is told which of a template's are not among
 * them; null where fontconfig is not there to be asked.
 */
export function installedFonts(program = 'fc-list'): Promise<string[] | null> {
  return new Promise((resolve) => {
    execFile(program, ['--format', '%{family}\n'], { timeout: 10_000 }, (error, stdout) => {
      if (error !== null) return resolve(null);
      // One font may have several names, in several languages.
      const names = stdout.split(/[\n,]/).map((name) => name.trim());
      return resolve([...new Set(names.filter((name) => name !== ''))].toSorted());
    });
  });
}
