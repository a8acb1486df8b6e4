import { describe, expect, test } from 'vitest';
import { documents, run } from '../../../test/run.ts';

const NODE = { check: 'node', verdict: 'ok', found: 'Node 20.20.2.', advice: null };
const FONTS = {
  check: 'fonts',
  verdict: 'missing',
  found: 'Carlito: not installed.',
  advice: 'apt-get install fonts-crosextra-carlito',
};

function examined(...findings: object[]) {
  return {
    async *serverLines() {
      for (const finding of findings) yield JSON.stringify(finding);
    },
  };
}

describe('millrace doctor', () => {
  test('shows a line each and ends with 1 when something is missing', async () => {
    const ran = await run(['doctor'], null, { terminal: 100, ...examined(NODE, FONTS) });
    expect(ran.code).toBe(1);
    expect(ran.lines).toEqual([
      'ok           server                No server of yours is running here. "npm start" or "millrace',
      '                                   start" starts one.',
      'ok           node                  Node 20.20.2.',
      'missing      fonts                 Carlito: not installed. apt-get install fonts-crosextra-carlito',
    ]);
    expect((await run(['doctor'], null, examined(NODE))).code).toBe(0);
  });

  test('a long name has a line of its own', async () => {
    const unit = { ...NODE, check: 'Marketing Cloud (510000123)' };
    const { lines } = await run(['doctor'], null, { terminal: 100, ...examined(unit) });
    expect(lines.slice(-2)).toEqual([
      'ok           Marketing Cloud (510000123)',
      '  Node 20.20.2.',
    ]);
  });

  test('fits a narrow terminal', async () => {
    const { lines } = await run(['doctor'], null, { terminal: 40, ...examined(FONTS) });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test('is JSON for programs, and names for scripts', async () => {
    const { stdout } = await run(['doctor', '--json'], null, examined(NODE, FONTS));
    expect(documents(stdout).slice(1)).toEqual([NODE, FONTS]);
    expect((await run(['doctor', '-q'], null, examined(NODE, FONTS))).stdout).toBe('fonts\n');
  });

  test('says that the server is not built', async () => {
    expect(await run(['doctor'], null)).toMatchObject({
      code: 70,
      stderr: expect.stringContaining('npm run build'),
    });
  });
});
