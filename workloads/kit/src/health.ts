import type { Log } from '@millrace/engine';

/** Something the service stands on, asked whether it is there. */
export interface HealthCheck {
  readonly name: string;
  /** Never throws, never takes longer than a few seconds. */
  run(log: Log): Promise<Health>;
}

export interface Health {
  /** `degraded`: worse than it should be, and still of use. `down`: no request can be served. */
  readonly status: 'ok' | 'degraded' | 'down';
  /** For anyone: no addresses and no reasons, which stay in the log. */
  readonly detail?: string;
}
