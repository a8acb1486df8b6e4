import { readConfig } from '../config/config.ts';
import { ConfigError } from '../config/error.ts';
import { gatherSettings } from '../config/file.ts';
import { examine } from './examine.ts';

// Whoever reads may have seen enough (`millrace doctor | head -2`), and then nothing more is to be done.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

// A program of its own, run by `millrace doctor`: one finding per line, as JSON, as soon as it is known.
for await (const finding of findings()) process.stdout.write(`${JSON.stringify(finding)}\n`);
process.exit(0); // a line to somewhere that hangs keeps nobody

async function* findings() {
  try {
    const { environment, file } = gatherSettings(process.env, process.cwd());
    yield* examine(readConfig(environment, file));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems)
      yield {
        check: 'settings',
        verdict: 'missing',
        found: problem,
        advice: 'Every setting is described in docs/configuration.md.',
      } as const;
  }
}
