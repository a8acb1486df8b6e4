import diagnostics from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sink, claimed, manualClock, start, startSink } from '../../../test/telemetry.ts';
import type { Telemetry } from '../types.ts';

const KEY = '11111111-2222-3333-4444-555555555555';

/** As Azure Monitor takes it. */
interface Envelope {
  readonly iKey?: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly data: {
    readonly baseType: string;
    readonly baseData: {
      readonly name?: string;
      readonly success?: boolean;
      readonly properties: Readonly<Record<string, string>>;
      readonly metrics?: readonly {
        readonly name: string;
        readonly value: number;
        readonly count: number;
        readonly min?: number;
        readonly max?: number;
      }[];
    };
  };
}

let sink: Sink;
let folder: string;
/** The hosts that were asked for anything. */
let hosts: Set<string>;
const temporary = process.env['TMPDIR'];

function heard(message: unknown): void {
  const { request } = message as { request: ClientRequest };
  hosts.add(request.host);
}

beforeEach(async () => {
  hosts = new Set();
  folder = await mkdtemp(join(tmpdir(), 'millrace-azure-'));
  process.env['TMPDIR'] = folder;
  diagnostics.subscribe('http.client.request.start', heard);
});
afterEach(async () => {
  diagnostics.unsubscribe('http.client.request.start', heard);
  if (temporary === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = temporary;
  await sink.close();
  await rm(folder, { recursive: true });
});

function connectionString(): string {
  return `InstrumentationKey=${KEY};IngestionEndpoint=${sink.url}/`;
}

async function work(telemetry: Telemetry): Promise<void> {
  const document = { templateId: 't1', outputFormat: 'PDF', mode: 'batch' };
  telemetry.record('docgen_duration_ms', 1_200, document);
  telemetry.record('docgen_duration_ms', 800, document);
  telemetry.count('lease_takeovers_total', 3);
  telemetry.setGauge('conversion_pool_active', 2);
  await telemetry.tracing?.around(claimed(), async () => {
    await telemetry.call({ dependency: 'webhook', operation: 'deliver' }, () => Promise.resolve());
    return { type: 'threw', thrown: new Error('broken') };
  });
}

function envelopes(): Envelope[] {
  return (sink.bodies as Envelope[][]).flat();
}

function metric(name: string) {
  const found = envelopes().find(
    ({ data }) => data.baseData.metrics?.some((each) => each.name === name) ?? false,
  );
  return { properties: found?.data.baseData.properties, ...found?.data.baseData.metrics?.[0] };
}

describe('Azure Monitor', () => {
  test('gets metrics, and traces with their correlation id', async () => {
    sink = await startSink();
    const telemetry = await start({ azureConnectionString: connectionString() });
    await work(telemetry);
    await telemetry.stop();

    expect(metric('docgen_duration_ms')).toMatchObject({
      properties: { templateId: 't1', outputFormat: 'PDF', mode: 'batch' },
      value: 2_000,
      count: 2,
      min: 800,
      max: 1_200,
    });
    expect(metric('lease_takeovers_total')).toMatchObject({ value: 3 });
    expect(metric('conversion_pool_active')).toMatchObject({ value: 2 });

    const ofType = (type: string) => envelopes().find(({ data }) => data.baseType === type);
    const attempt = ofType('RequestData');
    expect(attempt?.data.baseData).toMatchObject({
      name: 'run hello',
      success: false,
      properties: { correlationId: 'corr-1', 'job.id': 'mem-1', 'failure.code': 'unknown' },
    });
    expect(attempt?.tags).toMatchObject({
      'ai.cloud.role': 'millrace',
      'ai.cloud.roleInstance': 'test-1',
    });
    expect(ofType('RemoteDependencyData')?.data.baseData).toMatchObject({
      name: 'webhook deliver',
      properties: { correlationId: 'corr-1' },
    });
    expect([...hosts]).toEqual(['127.0.0.1']);
  });

  test('is the only one who hears of it, and nothing is written', async () => {
    sink = await startSink(503);
    const lines: string[] = [];
    const before = { ...process.env };
    const telemetry = await start({ azureConnectionString: connectionString() }, undefined, lines);
    await work(telemetry);
    await telemetry.stop();
    expect([...hosts]).toEqual(['127.0.0.1']);
    expect(await readdir(folder)).toEqual([]);
    expect(process.env).toEqual(before);
    // Two requests failed, each twice.
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"exporter":"azure"');
    expect(lines[0]).not.toContain(KEY);
  });

  // The exporter itself gives up after 5 s.
  test('does not keep anyone from stopping when it never answers', { timeout: 4_000 }, async () => {
    sink = await startSink('silent');
    const clock = manualClock();
    const telemetry = await start({ azureConnectionString: connectionString() }, clock);
    const arrived = sink.arrival();
    await work(telemetry);
    const stopped = telemetry.stop();
    const { left } = await arrived;
    clock.advance(3_000);
    await stopped;
    await left;
  });

  test('gets everything when the string ends with a semicolon', async () => {
    sink = await startSink();
    const telemetry = await start({ azureConnectionString: `${connectionString()}; ` });
    await work(telemetry);
    await telemetry.stop();
    expect([...hosts]).toEqual(['127.0.0.1']);
    expect(metric('docgen_duration_ms').count).toBe(2);
  });

  test.each(['', 'nonsense', 'InstrumentationKey=tooshort', `InstrumentationKey=${KEY};;x`])(
    'is not reached by %j, which is not repeated',
    async (azureConnectionString) => {
      sink = await startSink();
      const failed = await start({ azureConnectionString }).then(
        () => 'started',
        (error: unknown) => String(error),
      );
      expect(failed).toMatch(/AZURE_MONITOR_CONNECTION_STRING/);
      expect(failed).not.toContain(KEY);
    },
  );
});
