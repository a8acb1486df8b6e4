// What `npm start` is about to install, and why: said before anything is downloaded.

/** The files of node_modules once it is installed; install-size.long.test.ts compares it with what is there. */
export const MODULES_MEGABYTES = 610;

/**
 * Null where nothing is missing.
 *
 * @param {{ modules: boolean, packages: { name: string, why: string, megabytes: number }[] }} missing
 */
export function announcement({ modules, packages }) {
  const rows = [
    ...(modules
      ? [
          {
            name: 'npm packages',
            megabytes: MODULES_MEGABYTES,
            why: 'what package-lock.json names, into node_modules; their install scripts do not run',
          },
        ]
      : []),
    ...packages,
  ];
  if (rows.length === 0) return null;
  const widest = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(
    ({ name, megabytes, why }) =>
      `  ${name.padEnd(widest)}  ${String(megabytes).padStart(3)} MB  ${why}`,
  );
  const without =
    packages.length === 0
      ? ''
      : '\nOf these, apt-get installs what makes PDFs; MILLRACE_DOCUMENTS=false starts without it.';
  return `Installing what is missing; Ctrl-C stops it.\n${lines.join('\n')}${without}\n`;
}
