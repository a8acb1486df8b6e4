import { JobFailure, type Tracing, done } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ManualClock,
  type Sink,
  attributesOf,
  claimed,
  manualClock,
  spanNamed,
  spansOf,
  start,
  startSink,
} from '../../../test/telemetry.ts';
import type { Telemetry } from '../types.ts';

const CONSUMER = 5;
const CLIENT = 3;
const ERROR = 2;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = `00-${TRACE}-b7ad6b7169203331-01`;

type Ended = Awaited<ReturnType<Tracing['around']>>;
const returned: Ended = { type: 'returned', outcome: done() };

let sink: Sink;
let clock: ManualClock;
let telemetry: Telemetry;
let tracing: Tracing;

beforeEach(async () => {
  sink = await startSink();
  clock = manualClock();
  await restart(50);
});
afterEach(async () => {
  await telemetry.stop();
  await sink.close();
});

async function restart(tracesPerSecond: number): Promise<void> {
  telemetry = await start(
    { otlpEndpoint: sink.url, tracesPerSecond, secrets: ['hunter22'] },
    clock,
  );
  if (telemetry.tracing === undefined) throw new Error('There is no tracing.');
  tracing = telemetry.tracing;
}

describe('an execution', () => {
  test('is a span with what the job is', async () => {
    await tracing.around(claimed(), () => Promise.resolve(returned));
    await telemetry.stop();
    const span = spanNamed(sink, 'run hello');
    expect(span.kind).toBe(CONSUMER);
    expect(attributesOf(span)).toEqual({
      'job.id': 'mem-1',
      'job.kind': 'hello',
      'job.attempt': 2,
      'job.tenant': 'acme',
      'job.outcome': 'done',
      correlationId: 'corr-1',
    });
  });

  test('is linked to the trace it was enqueued in, and a trace of its own', async () => {
    await tracing.around(claimed({ traceparent: CALLER }), () => Promise.resolve(returned));
    await telemetry.stop();
    const { links, traceId, parentSpanId } = spanNamed(sink, 'run hello');
    expect(links).toMatchObject([{ traceId: TRACE, spanId: 'b7ad6b7169203331' }]);
    expect(traceId).not.toBe(TRACE);
    expect(parentSpanId ?? '').toBe('');
  });

  test('does without a link that is none', async () => {
    await tracing.around(claimed({ traceparent: 'nonsense' }), () => Promise.resolve(returned));
    await telemetry.stop();
    expect(spanNamed(sink, 'run hello').links ?? []).toEqual([]);
  });

  test('that failed has its code and its message, without secrets or a stack', async () => {
    const thrown = new JobFailure('upload_failed', 'Refused for the password hunter22.');
    const ended = await tracing.around(claimed(), () => Promise.resolve({ type: 'threw', thrown }));
    expect(ended).toEqual({ type: 'threw', thrown });
    await telemetry.stop();
    const span = spanNamed(sink, 'run hello');
    const message = 'Refused for the password [redacted].';
    expect(span.status).toEqual({ code: ERROR, message });
    expect(attributesOf(span)['error.type']).toBe('upload_failed');
    expect(JSON.stringify(sink.bodies)).not.toContain('.test.ts');
  });

  test('that was aborted says so', async () => {
    const thrown = Object.assign(new Error('The job was aborted: canceled.'), {
      name: 'AbortError',
    });
    await tracing.around(claimed(), () => Promise.resolve({ type: 'threw', thrown }));
    await tracing.around(claimed({ kind: 'slow' }), () => Promise.resolve({ type: 'gaveUp' }));
    await telemetry.stop();
    expect(attributesOf(spanNamed(sink, 'run hello'))['error.type']).toBe('aborted');
    expect(spanNamed(sink, 'run slow').status.code).toBe(ERROR);
  });

  test('that rejects still ends its span, and rejects', async () => {
    const broken = tracing.around(claimed(), () => Promise.reject(new Error('broken')));
    await expect(broken).rejects.toThrow('broken');
    await telemetry.stop();
    expect(spansOf(sink)).toHaveLength(1);
  });

  test('knows its trace, wherever it awaits', async () => {
    const seen: (string | undefined)[] = [];
    await tracing.around(claimed(), async () => {
      seen.push(tracing.current());
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      seen.push(telemetry.current());
      return returned;
    });
    await telemetry.stop();
    const { traceId, spanId } = spanNamed(sink, 'run hello');
    expect(seen).toEqual([`00-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01`]);
    expect(telemetry.current()).toBeUndefined();
  });

  test('does not see another that runs beside it', async () => {
    const seen = new Map<string, string | undefined>();
    const run = (kind: string) =>
      tracing.around(claimed({ kind }), async () => {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        seen.set(kind, telemetry.current());
        return returned;
      });
    await Promise.all([run('one'), run('two'), run('three')]);
    await telemetry.stop();
    for (const kind of ['one', 'two', 'three'])
      expect(seen.get(kind)).toContain(spanNamed(sink, `run ${kind}`).spanId);
  });
});

describe('the context', () => {
  test('outlasts the end of another trace', async () => {
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    let seen: string | undefined;
    const long = tracing.around(claimed({ kind: 'long' }), async () => {
      await gate;
      seen = telemetry.current();
      return returned;
    });
    await tracing.around(claimed({ kind: 'short' }), () => Promise.resolve(returned));
    goOn();
    await long;
    await telemetry.stop();
    expect(seen).toContain(spanNamed(sink, 'run long').spanId);
  });

  test('is off when the last trace has ended, whatever still runs', async () => {
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    let leftOver = Promise.resolve<string | undefined>('not asked');
    await tracing.around(claimed(), async () => {
      leftOver = gate.then(() => telemetry.current());
      return returned;
    });
    goOn();
    expect(await leftOver).toBeUndefined();
  });
});

describe('at high rates', () => {
  /** How many of them were traced. */
  async function runMany(count: number, fields = {}): Promise<number> {
    const seen: (string | undefined)[] = [];
    for (let n = 0; n < count; n += 1) {
      await tracing.around(claimed(fields), () => {
        seen.push(telemetry.current());
        return Promise.resolve(returned);
      });
    }
    return seen.filter((each) => each !== undefined).length;
  }

  test('only so many are traced, and the others make no span', async () => {
    const traced = await runMany(500);
    expect(traced).toBe(40);
    await telemetry.stop();
    expect(spansOf(sink)).toHaveLength(40);
  });

  test('one that belongs to a trace is preferred, but counts as well', async () => {
    expect(await runMany(500)).toBe(40);
    expect(await runMany(500, { traceparent: CALLER })).toBe(10);
    clock.advance(1_000);
    expect(await runMany(500, { traceparent: CALLER.replace(/01$/, '00') })).toBe(40);
  });

  test('one that is not traced is run as it is: no other promise, no context', async () => {
    await runMany(40);
    const promise = Promise.resolve(returned);
    expect(tracing.around(claimed(), () => promise)).toBe(promise);
  });
});

describe('a call to the outside', () => {
  const store = { dependency: 'store', operation: 'claim' };

  test('is a child of what runs, with its correlation id', async () => {
    await tracing.around(claimed(), async () => {
      await telemetry.call({ dependency: 'webhook', operation: 'deliver' }, () =>
        telemetry.call(store, () => Promise.resolve(1)),
      );
      return returned;
    });
    await telemetry.stop();
    const root = spanNamed(sink, 'run hello');
    const outer = spanNamed(sink, 'webhook deliver');
    const inner = spanNamed(sink, 'store claim');
    expect([outer.parentSpanId, inner.parentSpanId]).toEqual([root.spanId, outer.spanId]);
    expect(new Set([root.traceId, outer.traceId, inner.traceId]).size).toBe(1);
    expect(inner.kind).toBe(CLIENT);
    expect(attributesOf(inner)).toMatchObject({
      'dependency.name': 'store',
      'dependency.operation': 'claim',
      correlationId: 'corr-1',
    });
  });

  test('has the correlation id it is given', async () => {
    await telemetry.call({ ...store, correlationId: 'corr-9' }, () =>
      telemetry.call({ dependency: 'office', operation: 'convert' }, () => Promise.resolve()),
    );
    await telemetry.stop();
    for (const name of ['store claim', 'office convert'])
      expect(attributesOf(spanNamed(sink, name))['correlationId']).toBe('corr-9');
  });

  test('is a trace of its own where there is none', async () => {
    await telemetry.call(store, () => Promise.resolve());
    await telemetry.stop();
    expect(spanNamed(sink, 'store claim').parentSpanId ?? '').toBe('');
  });

  test('is measured always, and traced while there is room', async () => {
    for (let n = 0; n < 500; n += 1) await telemetry.call(store, () => Promise.resolve());
    const text = await telemetry.scrape();
    expect(text).toContain(
      'dependency_duration_seconds_count{dependency="store",operation="claim",outcome="ok"} 500\n',
    );
    await telemetry.stop();
    expect(spansOf(sink)).toHaveLength(40);
  });

  test('takes its time', async () => {
    await telemetry.call(store, async () => clock.advance(250));
    const sum =
      'dependency_duration_seconds_sum{dependency="store",operation="claim",outcome="ok"}';
    expect(await telemetry.scrape()).toContain(`${sum} 0.25\n`);
  });

  test('fails as it would have failed', async () => {
    const error = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    await expect(telemetry.call(store, () => Promise.reject(error))).rejects.toBe(error);
    const text = await telemetry.scrape();
    expect(text).toContain(
      'dependency_duration_seconds_count{dependency="store",operation="claim",outcome="error"} 1\n',
    );
    await telemetry.stop();
    expect(spanNamed(sink, 'store claim').status).toEqual({ code: ERROR, message: 'Error: away' });
  });

  test('is one of a hundred in a trace at most', async () => {
    await tracing.around(claimed(), async () => {
      for (let n = 0; n < 500; n += 1) await telemetry.call(store, () => Promise.resolve());
      return returned;
    });
    await telemetry.stop();
    expect(spansOf(sink)).toHaveLength(101);
  });

  test('a leaf is a span like any other', async () => {
    let seen: string | undefined = 'not asked';
    await telemetry.call({ ...store, leaf: true }, async () => {
      seen = telemetry.current();
    });
    await telemetry.stop();
    expect(spanNamed(sink, 'store claim')).toBeDefined();
    expect(seen).toBeUndefined();
  });
});

test('two telemetries in one process do not see each other', async () => {
  const other = await start({ otlpEndpoint: sink.url }, clock);
  let seen: string | undefined = 'not asked';
  await tracing.around(claimed(), async () => {
    seen = other.current();
    await other.call({ dependency: 'store', operation: 'get' }, () => Promise.resolve());
    return returned;
  });
  await other.stop();
  await telemetry.stop();
  expect(seen).toBeUndefined();
  expect(spanNamed(sink, 'store get').parentSpanId ?? '').toBe('');
});

test('without anywhere to send traces there is no tracing, and calls are measured', async () => {
  const silent = await start({});
  expect(silent.tracing).toBeUndefined();
  expect(await silent.call({ dependency: 'store', operation: 'get' }, async () => 7)).toBe(7);
  expect(silent.current()).toBeUndefined();
  expect(await silent.scrape()).toContain('dependency_duration_seconds_count{');
  await silent.stop();
});

test('turned off, it only runs what it is given', async () => {
  const off = await start({ enabled: false, otlpEndpoint: sink.url });
  expect(off.tracing).toBeUndefined();
  expect(await off.call({ dependency: 'store', operation: 'get' }, async () => 7)).toBe(7);
  off.count('lease_takeovers_total', 1);
  expect(await off.scrape()).toBe('');
  await off.stop();
  expect(sink.bodies).toEqual([]);
});
