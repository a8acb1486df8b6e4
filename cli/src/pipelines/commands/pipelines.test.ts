import { describe, expect, test } from 'vitest';
import { aPipeline, pipelinesFixture } from '../../../test/pipelines.ts';
import { documents } from '../../../test/run.ts';

const TROUBLE = {
  file: 'dunning.yaml',
  line: 7,
  column: 5,
  message: 'steps.letters.tempalte: there is no such field. Did you mean "template"?',
};

describe('millrace pipelines', () => {
  test('lists what can be run, and what is wrong with files', async () => {
    const { millrace } = await pipelinesFixture({ troubled: [TROUBLE] });
    const ran = await millrace('pipelines');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.lines).toEqual([
      'PIPELINE    TITLE               PARAMETERS        STEPS                   SCHEDULES',
      'statements  Monthly statements  --month [--mode]  customers letters mail          -',
    ]);
    expect(ran.stderr.split('\n')).toEqual([
      `dunning.yaml:7:5  ${TROUBLE.message}`,
      'Pipelines with invalid files keep their previous version, or are missing.',
      '',
    ]);
  });

  test('lists names with -q, and documents with --json', async () => {
    const { millrace } = await pipelinesFixture({ troubled: [TROUBLE] });
    expect((await millrace('pipelines -q')).stdout).toBe('statements\n');
    expect(documents((await millrace('pipelines --json')).stdout)).toMatchObject([
      { name: 'statements' },
      { file: 'dunning.yaml', problems: [TROUBLE] },
    ]);
  });

  test('says how to make one where there is none', async () => {
    const { millrace } = await pipelinesFixture({ pipelines: [] });
    expect((await millrace('pipelines')).stderr).toContain('MILLRACE_PIPELINES_FOLDER');
  });

  test('shows one', async () => {
    const { millrace } = await pipelinesFixture({
      pipelines: [aPipeline({ problems: [{ ...TROUBLE, file: 'statements.yaml' }] })],
    });
    const { lines } = await millrace('pipelines show statements');
    expect(lines).toContain('    --month  month; needed');
    expect(lines).toContain(
      '    letters    A letter for each (documents); after customers; when customers.rows above 0',
    );
    expect(lines).toContain(
      '    mail       Mail to the board (email); after letters; nobody does it here',
    );
    expect(lines).toContain(`statements.yaml:7:5  ${TROUBLE.message}`);
    expect(lines.at(-1)).toBe('  millrace pipeline run statements --month 2026-01');
  });

  test.each([
    ['pipelines show dunning', 3, 'There is no pipeline "dunning".'],
    ['pipelines shwo statements', 2, 'Did you mean show?'],
  ])('refuses %s', async (line, code, words) => {
    const { millrace } = await pipelinesFixture();
    const ran = await millrace(line);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(words);
  });
});
