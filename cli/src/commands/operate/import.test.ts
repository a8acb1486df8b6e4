import { expect, test } from 'vitest';
import { documents, run, serverThatPrints } from '../../../test/run.ts';

const LINES = [
  { type: 'line', what: 'query', id: 'a1b2', outcome: 'added', as: 'run-7' },
  { type: 'line', what: 'snippet', id: 'opens', outcome: 'there', as: 'opens' },
  { type: 'line', what: 'report', id: 'JOB_001', outcome: 'expired' },
];

test('millrace import says what became of each line', async () => {
  const server = serverThatPrints(...LINES);
  const ran = await run(['import', 'old.jsonl'], null, server);
  expect(ran.code).toBe(0);
  expect(ran.lines).toEqual([
    'query a1b2: added as run-7',
    'snippet opens: there already as opens',
    'report JOB_001: left out, its retention is over',
  ]);
  expect(ran.stderr).toContain('Added 1, there already 1, left out 1.');
  expect(server.asked).toEqual([['import', '--file=old.jsonl']]);
  const quiet = await run(['import', 'old.jsonl', '-q'], null, serverThatPrints(...LINES));
  expect(quiet.lines).toEqual(['query a1b2 run-7', 'snippet opens opens']);
  const json = await run(['import', 'old.jsonl', '--json'], null, serverThatPrints(...LINES));
  expect(documents(json.stdout)).toEqual(LINES);
});

test('millrace import ends as the server refuses', async () => {
  const problem = { type: 'problem', code: 'line_refused', exit: 'refused', detail: 'Line 3: no.' };
  const server = serverThatPrints(problem);
  expect(await run(['import', 'old.jsonl'], null, server)).toMatchObject({
    code: 4,
    stderr: 'Line 3: no.\n',
  });
  expect(await run(['import'], null, server)).toMatchObject({ code: 2 });
});
