import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { banner } from './banner.ts';
import { type Config, readConfig } from './config/config.ts';
import { ConfigError } from './config/error.ts';
import { gatherSettings } from './config/file.ts';
import { openLogFile, quietScreen } from './log/file.ts';
import { type Logger, createLog } from './log/log.ts';
import { createMask } from './log/mask.ts';
import { type Millrace, startMillrace } from './millrace.ts';
import { startReloading } from './reload.ts';
import { withSandboxMarketingCloud } from './sandbox-marketing-cloud.ts';
import { StartError } from './start-error.ts';
import { storePlace } from './store.ts';

/** npm passes a Ctrl-C on that the terminal has sent to us already: two that come together are one. */
const SAME_SIGNAL_MS = 500;

/**
 * Compiles WebAssembly, which the embedded database is, once. V8's second, optimising pass takes 2 to 4 s of a processor after each start and
 * 70 MB; without it a job costs a tenth more of the processor (docs/decisions/0009-embedded-database.md). Set here, since the
 * flag is the whole process's, and a library has no say in that.
 */
setFlagsFromString('--liftoff-only');

/**
 * A start leaves 30 MB of garbage that V8 keeps until it needs the room, which a server at rest never does: it is collected once, when
 * the first seconds are over (0.1 s of a processor).
 */
const TIDY_AFTER_MS = 30_000;
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

await main();

async function main(): Promise<void> {
  const settings = orExit(() => gatherSettings(process.env, process.cwd()));
  const { environment, page } = await withSandboxMarketingCloud(settings.environment);
  const config = {
    ...orExit(() => readConfig(environment, settings.file)),
    marketingCloudPage: page,
  };
  const terminal = process.stdout.isTTY && !config.production;
  const logFile = join(config.dataFolder, 'millrace.log');
  const write = terminal ? openLogFile(logFile) : null;
  const log = createLog({
    level: config.logLevel,
    readable: terminal,
    secrets: config.secrets,
    ...(write !== null && { write: quietScreen(write) }),
  });
  // The promise of someone's handler that nobody waits for must not take every other job down.
  process.on('unhandledRejection', (err) =>
    log.error({ err }, 'a promise was rejected and nobody was waiting for it'),
  );

  const say = (sentence: string) => {
    if (terminal) process.stdout.write(`${sentence}\n`);
    else log.info({}, sentence);
  };
  const started = config.production ? startMillrace(config, log) : startReloading(config, log, say);
  const isStopping = stopOnSignals(started, config, log, terminal);
  const millrace = await started.catch((error: unknown) => exitWith(error, config));
  // It was asked to stop while starting: it is about to end, so nobody should wait for it.
  if (isStopping()) return;
  setTimeout(collectGarbage, TIDY_AFTER_MS).unref();

  for (const file of millrace.jobs.idle)
    log.warn({ file }, 'this job file exports no job kind, rule or schedule');
  if (terminal)
    process.stdout.write(banner(config, millrace, page, write === null ? null : logFile));
  else
    log.info(
      {
        address: millrace.address,
        ...(millrace.metricsAddress && { metrics: millrace.metricsAddress }),
        store: storePlace(config),
        role: config.role,
        kinds: millrace.jobs.kinds.map(({ kind }) => kind),
      },
      'Millrace has started',
    );
}

function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return process.exit(2);
  }
}

function exitWith(error: unknown, { secrets }: Config): never {
  const text =
    error instanceof StartError
      ? error.message
      : error instanceof Error
        ? error.stack
        : String(error);
  console.error(createMask(secrets)(`Millrace cannot start. ${text}`));
  return process.exit(1);
}

/**
 * The first lets running jobs end; a second ends the process at once, and other replicas take over. Gives whether one has
 * come.
 */
function stopOnSignals(
  started: Promise<Millrace>,
  config: Config,
  log: Logger,
  terminal: boolean,
): () => boolean {
  let firstAt: number | null = null;

  async function stop(): Promise<void> {
    const millrace = await started;
    const running = millrace.inFlight();
    if (terminal && running > 0) {
      process.stdout.write(
        `\nWaiting for ${running} running job${running === 1 ? '' : 's'}, at most ${config.shutdownGraceMs / 1_000} s. Ctrl-C again stops at once.\n`,
      );
    }
    await millrace.stop();
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (firstAt === null) {
        firstAt = performance.now();
        log.info({ signal }, 'stopping');
        stop().then(
          () => process.exit(0),
          (err: unknown) => {
            log.error({ err }, 'stopping failed');
            process.exit(1);
          },
        );
      } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
        log.warn({ signal }, 'stopping at once');
        process.exit(1);
      }
    });
  }
  return () => firstAt !== null;
}
