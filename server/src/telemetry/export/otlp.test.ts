import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Sink,
  claimed,
  manualClock,
  spanNamed,
  start,
  startSink,
} from '../../../test/telemetry.ts';
import { logFailures } from './exporting.ts';
import type { Telemetry } from '../types.ts';

const sinks: Sink[] = [];
afterEach(() => Promise.all(sinks.splice(0).map((sink) => sink.close())));

async function sinkFor(...args: Parameters<typeof startSink>): Promise<Sink> {
  const sink = await startSink(...args);
  sinks.push(sink);
  return sink;
}

async function runOne(telemetry: Telemetry): Promise<void> {
  await telemetry.tracing?.around(claimed(), () => Promise.resolve({ type: 'gaveUp' }));
}

describe('traces as OTLP', () => {
  test('arrive, with who has sent them', async () => {
    const sink = await sinkFor();
    const telemetry = await start({ otlpEndpoint: sink.url });
    await runOne(telemetry);
    await telemetry.stop();
    expect(spanNamed(sink, 'run hello')).toBeDefined();
    const resource = JSON.stringify(sink.bodies[0]);
    for (const part of ['millrace', '1.2.3', 'test-1']) expect(resource).toContain(`"${part}"`);
  });

  test('may have a path before their own', async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const telemetry = await start({ otlpEndpoint: `http://127.0.0.1:${port}/otlp/` });
    await runOne(telemetry);
    await telemetry.stop();
    server.close();
    expect(paths).toEqual(['/otlp/v1/traces']);
  });

  test.each(['collector:4318', 'not an address', 'grpc://localhost:4317'])(
    'are not sent to %j',
    async (otlpEndpoint) => {
      await expect(start({ otlpEndpoint })).rejects.toThrow(/OTEL_EXPORTER_OTLP_ENDPOINT/);
    },
  );
});

describe('a backend', () => {
  test('that refuses them is reported in the log', async () => {
    const sink = await sinkFor(400);
    const lines: string[] = [];
    const telemetry = await start({ otlpEndpoint: sink.url }, undefined, lines);
    await runOne(telemetry);
    await telemetry.stop();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('telemetry could not be exported');
    expect(lines[0]).toContain('"exporter":"otlp"');
  });

  // The exporter itself gives up after 5 s.
  test('that never answers does not keep anyone from stopping', { timeout: 4_000 }, async () => {
    const sink = await sinkFor('silent');
    const clock = manualClock();
    const telemetry = await start({ otlpEndpoint: sink.url }, clock);
    const arrived = sink.arrival();
    await runOne(telemetry);
    const stopped = telemetry.stop();
    const { left } = await arrived;
    clock.advance(3_000);
    await stopped;
    await left;
  });

  test('that is not there does not either', { timeout: 4_000 }, async () => {
    const gone = await startSink();
    await gone.close();
    const clock = manualClock();
    const telemetry = await start({ otlpEndpoint: gone.url }, clock);
    await runOne(telemetry);
    const stopped = telemetry.stop();
    clock.advance(3_000);
    await stopped;
  });
});

describe('failures', () => {
  test('are reported once a minute, with how many there were', () => {
    const clock = manualClock();
    const told: unknown[] = [];
    const failed = logFailures('otlp', { warn: (line: unknown) => void told.push(line) }, clock);
    for (let n = 0; n < 10; n += 1) failed(new Error('away'));
    clock.advance(59_999);
    failed(new Error('away'));
    expect(told).toEqual([{ exporter: 'otlp', failures: 1, reason: 'away' }]);
    clock.advance(1);
    failed(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
    expect(told[1]).toEqual({ exporter: 'otlp', failures: 11, reason: 'away (ECONNREFUSED)' });
  });

  test('are reported in a sentence, never with the request that failed', () => {
    const told: unknown[] = [];
    const failed = logFailures(
      'azure',
      { warn: (line: unknown) => void told.push(line) },
      manualClock(),
    );
    failed(Object.assign(new Error('refused'), { request: { headers: { key: 'secret' } } }));
    expect(JSON.stringify(told)).not.toContain('secret');
  });
});
