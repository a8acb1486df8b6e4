import { type GLOBAL_OPTIONS, findCommandName, parseFor } from './line/arguments.ts';
import { type Command, findCommand } from './line/command.ts';
import { audit } from './commands/operate/audit.ts';
import { batch } from './documents/commands/batch.ts';
import { cancel } from './commands/jobs/cancel.ts';
import { catalog } from './queries/commands/catalog.ts';
import { check } from './documents/commands/check.ts';
import { createCompletion } from './commands/completion.ts';
import { doctor } from './commands/operate/doctor.ts';
import { enqueue } from './commands/jobs/enqueue.ts';
import { erase } from './commands/jobs/erase.ts';
import { explain } from './commands/jobs/explain.ts';
import { generate } from './documents/commands/generate.ts';
import { createHelp } from './commands/help.ts';
import { importFile } from './commands/operate/import.ts';
import { job } from './commands/jobs/job.ts';
import { jobs } from './commands/jobs/jobs.ts';
import { kinds } from './commands/operate/kinds.ts';
import { lint } from './documents/commands/lint.ts';
import { login } from './commands/sign-in/login.ts';
import { logout } from './commands/sign-in/logout.ts';
import { mcp } from './commands/mcp.ts';
import { migrate } from './commands/operate/migrate.ts';
import { move } from './commands/operate/move.ts';
import { pause } from './commands/operate/pause.ts';
import { pipeline } from './pipelines/commands/pipeline.ts';
import { pipelines } from './pipelines/commands/pipelines.ts';
import { query } from './queries/commands/query.ts';
import { resume } from './commands/operate/resume.ts';
import { report } from './reports/commands/report.ts';
import { reports } from './reports/commands/reports.ts';
import { retry } from './commands/jobs/retry.ts';
import { runs } from './queries/commands/runs.ts';
import { salesforce } from './commands/salesforce.ts';
import { schedules } from './commands/operate/schedules.ts';
import { snippets } from './queries/commands/snippets.ts';
import { sql } from './queries/commands/sql.ts';
import { start } from './commands/start.ts';
import { stats } from './commands/operate/stats.ts';
import { templates } from './documents/commands/templates.ts';
import { token } from './commands/sign-in/token.ts';
import { watch } from './commands/jobs/watch.ts';
import { whoami } from './commands/sign-in/whoami.ts';
import { worker } from './commands/operate/worker.ts';
import { type Context, createContext } from './context.ts';
import type { World } from './world.ts';
import { EXIT, type ExitCode } from './line/exit.ts';
import { type Failure, failureOf } from './failure.ts';
import { commandHelp, overview } from './line/help.ts';
import type { Values } from './line/option.ts';
import { processWorld } from './process.ts';
import { clean, cleanLines } from './render/width.ts';
import { DEFAULT_URL } from './connection/running.ts';
import { type Screen, type Stream, createScreen } from './terminal/screen.ts';
import { version } from './version.ts';

/** Every command there is; the order is that of the help. */
export const commands: readonly Command[] = [
  start,
  doctor,
  migrate,
  move,
  importFile,
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
  query,
  runs,
  snippets,
  sql,
  catalog,
  reports,
  report,
  pipelines,
  pipeline,
  salesforce,
  worker,
  erase,
  audit,
  mcp,
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
    const { words, options, free } = parseFor(command, rest);
    const choices = options as Values<typeof GLOBAL_OPTIONS>;
    if (choices.version) return show(world.stdout, version(), EXIT.ok);
    if (choices.help) return show(world.stdout, helpOn(command), EXIT.ok);
    if (command === null) return show(world.stderr, overview(commands), EXIT.usage);
    context = await createContext(world, choices);
    return await command.run(context, { words, options, free });
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
