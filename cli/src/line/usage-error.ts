/** The command line itself is wrong: reported with a hint at the help, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
