import { describe, expect, test } from 'vitest';
import { type Step, json, losesAnswer } from '../../../test/scripted.ts';
import { connect, openOrg, refuses } from '../../test/org.ts';
import { grouped } from './graphs.ts';
import type { Subrequest } from '../types.ts';

interface Sent {
  graphs: { graphId: string; compositeRequest: { url: string; body: { name: string } }[] }[];
}

const sent = (body: string | undefined): Sent['graphs'] => (JSON.parse(body ?? '') as Sent).graphs;

/** The first part's name stands for its graph. */
const namesIn = (body: string | undefined): string[] =>
  sent(body).map(({ compositeRequest }) => compositeRequest[0]?.body.name ?? '');

const graph = (name: string, nodes = 1): Subrequest[] =>
  Array.from({ length: nodes }, (_, n) => ({
    method: 'POST',
    url: 'sobjects/X__c',
    referenceId: `ref${n}`,
    body: { name },
  }));

const halted = { errorCode: 'PROCESSING_HALTED', message: 'The transaction was rolled back.' };

/** Does every graph, but for those whose name it has an errorCode for. */
function does(refused: Record<string, string> = {}): Step {
  return (exchange) => {
    const graphs = sent(exchange.seen.body).map(({ graphId, compositeRequest }) => {
      const name = compositeRequest[0]?.body.name ?? '';
      const errorCode = refused[name];
      const last = compositeRequest.length - 1;
      const compositeResponse = compositeRequest.map((_, n) => ({
        referenceId: `ref${n}`,
        httpStatusCode: errorCode === undefined ? 201 : 400,
        httpHeaders: {},
        body:
          errorCode === undefined
            ? { id: name }
            : [n === last ? { errorCode, message: 'No.', fields: [] } : halted],
      }));
      return {
        graphId,
        isSuccessful: errorCode === undefined,
        graphResponse: { compositeResponse },
      };
    });
    return json(200, { graphs })(exchange);
  };
}

describe('grouping', () => {
  interface Sized {
    readonly nodes: number;
    readonly bytes: number;
    readonly sorts: string[];
  }
  const of = (count: number, nodes: number, bytes: number): Sized[] =>
    Array.from({ length: count }, () => ({ nodes, bytes, sorts: ['POST X__c'] }));
  const sizes = (graphs: Sized[]): number[] => grouped(graphs).map((group) => group.length);
  const different = Array.from({ length: 20 }, (_, n) => ({
    nodes: 2,
    bytes: 1,
    sorts: ['POST X__c', `GET Y${n}__c`],
  }));
  const MB = 1024 * 1024;

  test.each([
    ['nothing', of(0, 1, 1), []],
    ['75 graphs a call', of(160, 1, 1), [75, 75, 10]],
    ['500 nodes a call', of(110, 10, 1), [50, 50, 10]],
    ['15 different nodes a call', different, [14, 6]],
    ['30 MB a call', of(7, 1, 10 * MB), [3, 3, 1]],
    ['one too large goes alone', [...of(1, 1, 1), ...of(1, 1, 40 * MB), ...of(1, 1, 1)], [1, 1, 1]],
  ])('%s', (_what, graphs, groups) => {
    expect(sizes(graphs)).toEqual(groups);
  });
});

describe('graphs', () => {
  test('are put together, sent with absolute addresses and answered in order', async () => {
    const org = await openOrg();
    org.otherwise(does());
    const { salesforce } = connect(org);
    const names = Array.from({ length: 100 }, (_, n) => `g${n}`);
    const answers = await salesforce.graphs(names.map((name) => graph(name, 2)));
    expect(answers.map(({ ok, responses }) => [ok, responses[0]?.body])).toEqual(
      names.map((name) => [true, { id: name }]),
    );
    expect(new Set(org.seen.map(({ body }) => sent(body).length))).toEqual(new Set([25, 75]));
    expect(sent(org.seen[0]?.body)[0]?.compositeRequest[0]?.url).toBe(
      '/services/data/v59.0/sobjects/X__c',
    );
    expect(salesforce.stats().byRoute).toEqual({ 'composite/graph': 2 });
  });

  test('a failed one has its own cause, and leaves its neighbours alone', async () => {
    const org = await openOrg();
    org.will(does({ b: 'ENTITY_IS_DELETED' }));
    const { salesforce } = connect(org);
    const answers = await salesforce.graphs([graph('a'), graph('b', 3), graph('c')]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(answers[1]).toMatchObject({
      failed: {
        code: 'ENTITY_IS_DELETED',
        kind: 'notFound',
        outcome: 'refused',
        referenceId: 'ref2',
      },
      responses: [{ body: [halted] }, { body: [halted] }, {}],
    });
    expect(org.seen).toHaveLength(1);
  });

  test('a lost answer puts the graphs of its own call in doubt, and no others', async () => {
    const org = await openOrg();
    org.otherwise((exchange) =>
      namesIn(exchange.seen.body).includes('g80') ? losesAnswer(exchange) : does()(exchange),
    );
    const { salesforce } = connect(org);
    const graphs = Array.from({ length: 100 }, (_, n) => graph(`g${n}`));
    const answers = await salesforce.graphs(graphs);
    expect(answers.map(({ ok }) => ok)).toEqual(graphs.map((_, n) => n < 75));
    for (const answer of answers.slice(75)) {
      expect(answer).toMatchObject({
        responses: [],
        failed: { code: 'unreachable', outcome: 'unknown' },
      });
    }
    expect(org.seen).toHaveLength(2);
  });

  test('a repeatable call is sent again; what its repeat refuses stays in doubt', async () => {
    const org = await openOrg();
    org.will(losesAnswer, does({ b: 'FIELD_CUSTOM_VALIDATION_EXCEPTION' }));
    const { salesforce } = connect(org);
    const answers = await salesforce.graphs([graph('a'), graph('b')], { repeatable: true });
    expect(answers).toMatchObject([
      { ok: true },
      { ok: false, failed: { code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', outcome: 'unknown' } },
    ]);
    expect(org.seen).toHaveLength(2);
  });

  test('those that met a lock are sent again without the others, three times at most', async () => {
    const org = await openOrg();
    org.otherwise(does({ a: 'UNABLE_TO_LOCK_ROW' }));
    org.will(
      does({ a: 'UNABLE_TO_LOCK_ROW', c: 'UNABLE_TO_LOCK_ROW' }),
      does({ a: 'UNABLE_TO_LOCK_ROW' }),
    );
    const { salesforce, slept } = connect(org);
    const answers = await salesforce.graphs([graph('a', 2), graph('b'), graph('c')]);
    expect(answers).toMatchObject([
      { ok: false, failed: { kind: 'lock' } },
      { ok: true },
      { ok: true, responses: [{ body: { id: 'c' } }] },
    ]);
    expect(org.seen.map(({ body }) => namesIn(body))).toEqual([
      ['a', 'b', 'c'],
      ['a', 'c'],
      ['a'],
      ['a'],
    ]);
    expect(slept).toEqual([375, 750, 1_500]);
  });

  /** As Salesforce does it: after more than 14 failures no graph is tried. */
  const haltsAfter14 =
    (isBad: (name: string) => string | undefined): Step =>
    (exchange) => {
      const refused: Record<string, string> = {};
      let failures = 0;
      for (const name of namesIn(exchange.seen.body)) {
        const code = failures > 14 ? 'PROCESSING_HALTED' : isBad(name);
        if (code === undefined) continue;
        refused[name] = code;
        failures += 1;
      }
      return does(refused)(exchange);
    };

  test('those that were not tried are sent again, however many before them fail', async () => {
    const org = await openOrg();
    const names = Array.from({ length: 46 }, (_, n) => (n < 16 ? `bad${n}` : `good${n}`));
    org.otherwise(
      haltsAfter14((name) => (name.startsWith('bad') ? 'ENTITY_IS_DELETED' : undefined)),
    );
    const { salesforce } = connect(org);
    const answers = await salesforce.graphs(names.map((name) => graph(name, 2)));
    expect(answers.map((answer) => (answer.ok ? 'done' : answer.failed.code))).toEqual(
      names.map((_, n) => (n < 16 ? 'ENTITY_IS_DELETED' : 'done')),
    );
    expect(org.seen.map(({ body }) => sent(body).length)).toEqual([46, 31]);
  });

  test('75 that all fail each have their own error, after five calls', async () => {
    const org = await openOrg();
    org.otherwise(haltsAfter14(() => 'STORAGE_LIMIT_EXCEEDED'));
    const { salesforce } = connect(org);
    const answers = await salesforce.graphs(Array.from({ length: 75 }, (_, n) => graph(`g${n}`)));
    expect(answers.filter((answer) => !answer.ok && answer.failed.kind === 'storage')).toHaveLength(
      75,
    );
    expect(org.seen).toHaveLength(5);
  });

  test('those that met a lock and those that were not tried are both sent again', async () => {
    const org = await openOrg();
    const names = Array.from({ length: 20 }, (_, n) => `g${n}`);
    org.otherwise(does());
    org.will(haltsAfter14(() => 'UNABLE_TO_LOCK_ROW'));
    const { salesforce, slept } = connect(org);
    const answers = await salesforce.graphs(names.map((name) => graph(name)));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(org.seen.map(({ body }) => namesIn(body).length)).toEqual([20, 5, 15]);
    expect(slept).toEqual([375]);
  });

  test('one that is halted by its own fault is not sent for ever', async () => {
    const org = await openOrg();
    org.otherwise(does({ a: 'PROCESSING_HALTED' }));
    const { salesforce } = connect(org);
    const answers = await salesforce.graphs([graph('a', 2), graph('b')]);
    expect(answers).toMatchObject([
      { ok: false, failed: { code: 'PROCESSING_HALTED' } },
      { ok: true },
    ]);
    expect(org.seen).toHaveLength(2);
  });

  test('one that makes Salesforce refuse the whole call is found', async () => {
    const org = await openOrg();
    org.otherwise((exchange) =>
      namesIn(exchange.seen.body).includes('g17')
        ? refuses(400, 'JSON_PARSER_ERROR')(exchange)
        : does()(exchange),
    );
    const { salesforce } = connect(org);
    const graphs = Array.from({ length: 75 }, (_, n) => graph(`g${n}`));
    const answers = await salesforce.graphs(graphs);
    expect(answers.map(({ ok }) => ok)).toEqual(graphs.map((_, n) => n !== 17));
    expect(answers[17]).toMatchObject({ failed: { code: 'JSON_PARSER_ERROR' } });
    expect(org.seen.length).toBeLessThanOrEqual(15);
  });

  test('a call that was lost and then refused is not sent in halves', async () => {
    const org = await openOrg();
    org.otherwise(refuses(400, 'JSON_PARSER_ERROR'));
    org.will(losesAnswer);
    const { salesforce } = connect(org);
    const answers = await salesforce.graphs([graph('a'), graph('b')], { repeatable: true });
    const failed = { code: 'JSON_PARSER_ERROR', outcome: 'unknown' };
    expect(answers).toMatchObject([{ failed }, { failed }]);
    expect(org.seen).toHaveLength(2);
  });

  test('a refusal that is not of their making is not sent in halves', async () => {
    const org = await openOrg();
    org.otherwise(refuses(403, 'REQUEST_LIMIT_EXCEEDED'));
    const { salesforce } = connect(org);
    const answers = await salesforce.graphs([graph('a'), graph('b')]);
    expect(answers).toMatchObject([{ failed: { kind: 'limit' } }, { failed: { kind: 'limit' } }]);
    expect(org.seen).toHaveLength(1);
  });

  test('one without parts is done, one with too many is refused, one unanswered is in doubt', async () => {
    const org = await openOrg();
    org.will(json(200, { graphs: [] }));
    const { salesforce } = connect(org);
    const answers = await salesforce.graphs([[], graph('a', 501), graph('b')]);
    expect(answers).toMatchObject([
      { ok: true, responses: [] },
      { ok: false, failed: { code: 'too_many_subrequests', outcome: 'notSent' } },
      { ok: false, failed: { code: 'invalid_answer', outcome: 'unknown' } },
    ]);
    expect(await salesforce.graphs([])).toEqual([]);
    expect(org.seen).toHaveLength(1);
  });
});
