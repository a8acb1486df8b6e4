/** Everything that is wrong, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a setting is' : `${problems.length} settings are`;
    super(
      `Millrace cannot start: ${count} wrong.\n${problems.map((line) => `  ${line}`).join('\n')}\nEvery setting is described in docs/configuration.md.`,
    );
    this.problems = problems;
  }
}
