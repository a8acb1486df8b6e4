import { type GLOBAL_OPTIONS, findCommandName, parseFor } from './arguments.ts';
import { type Command, findCommand } from './command.ts';
import { audit } from './commands/audit.ts';
import { batch } from './commands/batch.ts';
import { cancel } from './commands/cancel.ts';
import { check } from './commands/check.ts';
import { createCompletion } from './commands/completion.ts';
import { doctor } from './commands/doctor.ts';
import { enqueue } from './commands/enqueue.ts';
import { erase } from './commands/erase.ts';
import { explain } from './commands/explain.ts';
import { generate } from './commands/generate.ts';
import { createHelp } from './commands/help.ts';
import { job } from './commands/job.ts';
import { jobs } from './commands/jobs.ts';
import { kinds } from './commands/kinds.ts';
import { lint } from './commands/lint.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { pause } from './commands/pause.ts';
import { resume } from './commands/resume.ts';
import { retry } from './commands/retry.ts';
import { salesforce } from './commands/salesforce.ts';
import { schedules } from './commands/schedules.ts';
import { start } from './commands/start.ts';
import { stats } from './commands/stats.ts';
import { templates } from './commands/templates.ts';
import { token } from './commands/token.ts';
import { watch } from './commands/watch.ts';
import { whoami } from './commands/whoami.ts';
import { worker } from './commands/worker.ts';
import { type Context, type World, createContext } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { type Failure, failureOf } from './failure.ts';
import { commandHelp, overview } from './help.ts';
import type { Values } from './option.ts';
import { processWorld } from './process.ts';
import { clean, cleanLines } from './render/width.ts';
import { DEFAULT_URL } from './running.ts';
import { type Screen, type Stream, createScreen } from './screen.ts';
import { version } from './version.ts';

/** Every command there is; the order is that of the help. */
export const commands: readonly Command[] = [
  start,
  doctor,
  enqueue,
  jobs,
  job,
  watch,
  explain,
  retry,
  cancel,
  stats,
  kinds,
  pause,
  resume,
  schedules,
  generate,
  batch,
  templates,
  lint,
  check,
  salesforce,
  worker,
  erase,
  audit,
  login,
  logout,
  whoami,
  token,
  createCompletion(() => commands),
  createHelp(() => commands),
];

/** One run of `millrace`, from its arguments to its exit code. It never throws. */
export async function main(
  argv: readonly string[],
  world: World = processWorld(),
): Promise<ExitCode> {
  const { name, rest } = findCommandName(argv);
  let context: Context | null = null;
  try {
    const command = name === undefined ? null : findCommand(commands, name);
    const { words, options } = parseFor(command, rest);
    const choices = options as Values<typeof GLOBAL_OPTIONS>;
    if (choices.version) return show(world.stdout, version(), EXIT.ok);
    if (choices.help) return show(world.stdout, helpOn(command), EXIT.ok);
    if (command === null) return show(world.stderr, overview(commands), EXIT.usage);
    context = await createContext(world, choices);
    return await command.run(context, { words, options });
  } catch (thrown) {
    if (world.interrupted.aborted) return EXIT.interrupted;
    const advice = context?.tokens.advice() ?? null;
    const failure = failureOf(thrown, context?.url ?? DEFAULT_URL, advice);
    tell(failure, createScreen(world.stderr, world.env), argv.includes('--json'));
    return failure.exitCode;
  }
}

function helpOn(command: Command | null): string {
  return command === null ? overview(commands) : commandHelp(command);
}

function show(stream: Stream, text: string, exitCode: ExitCode): ExitCode {
  stream.write(`${text}\n`);
  return exitCode;
}

function tell({ sentence, details, problem }: Failure, err: Screen, json: boolean): void {
  if (json) return err.line(JSON.stringify(problem));
  err.line(err.paint('red', cleanLines(sentence)));
  for (const detail of details) err.line(`  ${clean(detail)}`);
}
