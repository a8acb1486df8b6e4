import type { jobRequest } from '@millrace/api';
import type { Duration, JobRequest } from '@millrace/engine';
import type { z } from 'zod';
import { defined } from '@millrace/workload-kit';
import { type RouteParts, type Call, type Handlers, ok } from '../http/handler.ts';
import { requireWebhook } from '../webhook/require.ts';
import { requireKind } from './known-kind.ts';

type Body = z.output<typeof jobRequest>;
type Asked = Pick<Call, 'caller' | 'correlationId'>;

export function enqueueHandlers({
  queue,
  registry,
  scope,
  config,
  telemetry,
}: RouteParts): Handlers<'enqueue' | 'enqueueBatch'> {
  const options = { fromOutside: true };

  function requestOf(body: Body, { caller, correlationId }: Asked): JobRequest {
    requireKind(registry, body.kind, (kind) => kind.public, config);
    if (body.webhook !== undefined) requireWebhook(body.webhook, config.webhook);
    const { runAt, delay, keyWindow, data, ...rest } = body;
    return {
      ...defined({
        ...rest,
        tenant: rest.tenant ?? scope.tenant,
        runAt: runAt === undefined ? undefined : Date.parse(runAt),
        // The contract's pattern is the engine's.
        delay: delay as Duration | undefined,
        keyWindow: keyWindow as Duration | undefined,
        submitter: caller?.name,
        traceparent: telemetry.current(),
      }),
      data,
      correlationId,
    };
  }

  return {
    async enqueue({ body, ...asked }) {
      const { id, created } = await queue.enqueue(requestOf(body, asked), options);
      return { status: created ? 201 : 200, body: { id, created } };
    },
    async enqueueBatch({ body, ...asked }) {
      const requests = body.map((each) => requestOf(each, asked));
      return ok({ jobs: await queue.enqueueAll(requests, options) });
    },
  };
}
