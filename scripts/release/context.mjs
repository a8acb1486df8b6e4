// What `docker build` sees of the repository, by the ignore file beside the Dockerfile.

/**
 * Whether a path of the build context is left out, by Docker's rules: the last pattern that matches decides.
 *
 * @param {string} dockerignore
 * @returns {(path: string) => boolean}
 */
export function ignoredBy(dockerignore) {
  const rules = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      leavesOut: !line.startsWith('!'),
      pattern: patternOf(line.replace(/^!/, '')),
    }));
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.leavesOut ?? false;
}

/** A pattern matches a folder with all that is in it. @param {string} glob */
function patternOf(glob) {
  const source = glob
    .replaceAll(/[.+^$(){}|[\]\\]/g, '\\$&')
    .replaceAll(/\*\*\/|\*|\?/g, (wild) =>
      wild === '**/' ? '(?:.*/)?' : wild === '*' ? '[^/]*' : '[^/]',
    );
  return new RegExp(`^${source}(?:/.*)?$`);
}

const DOCKERFILE = 'docs/operations/Dockerfile';

/**
 * The files of an archive that `docker build -f docs/operations/Dockerfile -` takes, of all that git has.
 *
 * @param {string[]} files @param {string} dockerignore
 */
export function contextFiles(files, dockerignore) {
  const isLeftOut = ignoredBy(dockerignore);
  return files.filter((path) => path === DOCKERFILE || !isLeftOut(path));
}
