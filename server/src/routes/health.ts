import { type AppParts, type Handlers, ok } from '../http/handler.ts';
import { runCheck } from '../health.ts';

export function healthHandlers({
  checks,
  stopped,
  isStopping,
}: AppParts): Handlers<'healthz' | 'readyz'> {
  return {
    async healthz() {
      const detail = stopped();
      if (detail === null) return ok({ status: 'ok' });
      return { status: 503, body: { status: 'stopped', detail } };
    },
    async readyz({ log }) {
      const results = await Promise.all(checks.map((check) => runCheck(check, log)));
      const has = (status: string) => results.some((result) => result.status === status);
      const status = isStopping()
        ? 'stopping'
        : has('down')
          ? 'unavailable'
          : has('degraded')
            ? 'degraded'
            : 'ready';
      const serves = status === 'ready' || status === 'degraded';
      return { status: serves ? 200 : 503, body: { status, checks: results } };
    },
  };
}
