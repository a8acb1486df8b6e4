import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Closing } from '../closing.ts';
import type { Config } from '../config/config.ts';
import type { Lasting } from '../lasting.ts';
import type { Logger } from '../log/log.ts';
import { startTelemetry } from '../telemetry/telemetry.ts';
import type { Telemetry } from '../telemetry/types.ts';
import { VERSION } from '../version.ts';

/** The dependencies of each step of the start. */
export interface Process {
  readonly config: Config;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Unique over all processes and starts. */
  readonly replica: string;
  /** Whatever a step opens is added here. */
  readonly closing: Closing;
  /** Resources that survive a reload with changed job files. */
  readonly lasting: Lasting;
}

export async function openProcess(
  config: Config,
  log: Logger,
  { closing, lasting }: Pick<Process, 'closing' | 'lasting'>,
): Promise<Process> {
  const replica = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const telemetry = await startTelemetry(
    { ...config.telemetry, serviceInstance: replica, version: VERSION, secrets: config.secrets },
    log,
  );
  closing.add(() => telemetry.stop());
  return { config, log, telemetry, replica, closing, lasting };
}
