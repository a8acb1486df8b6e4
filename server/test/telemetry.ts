import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { ClaimedJob, Clock } from '@millrace/engine';
import { createLog } from '../src/log/log.ts';
import { type TelemetryConfig, startTelemetry } from '../src/telemetry/telemetry.ts';

/** Somewhere to send telemetry to. */
export interface Sink {
  readonly url: string;
  /** What has arrived, parsed. */
  readonly bodies: unknown[];
  /** Resolves when another request arrives, to a promise of its caller's hanging up. */
  arrival(): Promise<{ readonly left: Promise<void> }>;
  close(): Promise<void>;
}

/** `silent` takes the request and never answers. */
export async function startSink(answer: number | 'silent' = 200): Promise<Sink> {
  const bodies: unknown[] = [];
  const waiting: ((arrived: { readonly left: Promise<void> }) => void)[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      bodies.push(JSON.parse(body));
      const left = once(request.socket, 'close').then(() => {});
      for (const arrived of waiting.splice(0)) arrived({ left });
      if (answer !== 'silent') response.writeHead(answer).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    arrival: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const body = Buffer.concat(await request.toArray());
  return (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
}

/** As OTLP has it in JSON. */
export interface SentSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

export function spansOf({ bodies }: Sink): SentSpan[] {
  return (bodies as OtlpBody[]).flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
}

export function spanNamed(sink: Sink, name: string): SentSpan {
  const [found, ...more] = spansOf(sink).filter((span) => span.name === name);
  if (found === undefined || more.length > 0)
    throw new Error(`There are ${more.length + (found ? 1 : 0)} spans named "${name}".`);
  return found;
}

export function attributesOf({ attributes }: SentSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function manualClock(): ManualClock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>();
  return {
    now: () => now,
    after(ms, fire) {
      const timer = { at: now + ms, fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer);
        timer.fire();
      }
    },
  };
}

export const CONFIG: TelemetryConfig = {
  enabled: true,
  azureConnectionString: null,
  otlpEndpoint: null,
  tracesPerSecond: 50,
  serviceInstance: 'test-1',
  version: '1.2.3',
};

export function logTo(lines: string[]) {
  return createLog({
    level: 'debug',
    readable: false,
    secrets: [],
    write: (line) => lines.push(line),
  });
}

export function start(config: Partial<TelemetryConfig> = {}, clock?: Clock, lines: string[] = []) {
  return startTelemetry({ ...CONFIG, ...config }, logTo(lines), clock);
}

export function claimed(fields: Partial<ClaimedJob> = {}): ClaimedJob {
  return {
    id: 'mem-1',
    epoch: 1,
    claim: 1,
    kind: 'hello',
    tenant: 'acme',
    payload: '{}',
    attempt: 2,
    maxAttempts: 3,
    priority: null,
    createdAt: 0,
    cursor: null,
    suspect: false,
    correlationId: 'corr-1',
    submitter: null,
    subject: null,
    webhook: null,
    parents: null,
    traceparent: null,
    ...fields,
  };
}
