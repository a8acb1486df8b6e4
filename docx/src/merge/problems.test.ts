import { describe, expect, it } from 'vitest';
import { docx, p } from '../../test/builder.ts';
import { type MergeOptions, TemplateError, compile } from '../index.ts';

function refused(template: Buffer, data: unknown, options: MergeOptions = {}): TemplateError {
  try {
    compile(template).merge(data, options);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('It was merged.');
}

describe('a merge that is refused names all that is wrong with the data', () => {
  const letter = docx(
    p(
      'Dear {{Candidate.Name}}, until {{date AnswerBy "long"}}: {{currency Salary}}, {{upper Team}}.',
    ) + p('{{link Site [First Name]}} {{#if gt Hours 10}}{{Bonus}}{{/if}} {{Candidate.Name}}'),
  );

  it('each once, with its field as lint names it', () => {
    const data = { AnswerBy: 'soon', Salary: 'much', Team: 'x', Hours: 12 };
    const error = refused(letter, data, { strict: true, dataLocale: 'en-US' });
    expect(error.problems.map(({ code, field }) => `${field}: ${code}`)).toEqual([
      'Candidate.Name: missing_field',
      'AnswerBy: bad_value',
      'Salary: bad_value',
      'Site: missing_field',
      'First Name: missing_field',
      'Bonus: missing_field',
    ]);
    expect(error.message).toMatch(
      /^The data has no "Candidate\.Name"\. AnswerBy: "soon" cannot be read as a date; .+ The data has no "Bonus"\.$/,
    );
    expect(error.problems[1]).toMatchObject({ part: 'word/document.xml', paragraph: 1 });
  });

  it('and one alone as it always was', () => {
    const data = { Candidate: { Name: 'Ann' }, AnswerBy: '2026-11-30', Salary: 1, Team: 'x' };
    const error = refused(letter, { ...data, Site: 'https://e.example', Hours: 'many' });
    expect(error.problems).toHaveLength(1);
    expect(error.message).toBe('Hours: "many" cannot be read as a number; write it like 1234.5.');
    expect(error).toMatchObject({ code: 'bad_value', field: 'Hours', part: 'word/document.xml' });
  });

  it('up to twenty, and no more than a thousand times the same', () => {
    const tags = Array.from({ length: 30 }, (_, n) => `{{F${n}}}`).join(' ');
    const many = refused(docx(p(tags)), {}, { strict: true });
    expect(many.problems).toHaveLength(20);
    expect(many.message).toMatch(/There may be more: these come first\.$/);

    let looked = 0;
    const item = {
      get Price(): string {
        looked += 1;
        return 'x';
      },
    };
    const list = docx(p('{{#each L}}{{number Price}}{{/each}}'));
    const same = refused(list, { L: Array.from({ length: 5_000 }, () => item) });
    expect(same.problems).toHaveLength(1);
    expect(looked).toBe(1_000);
  });

  it('but a limit ends it at once', () => {
    const list = docx(p('{{Missing}}{{#each L}}x{{/each}}'));
    const options = { strict: true, limits: { iterations: 2 } };
    expect(refused(list, { L: [1, 2, 3] }, options).code).toBe('too_many_iterations');
  });
});

it('data is checked without a document being made, and images that nobody has fetched are not missed', () => {
  const template = compile(docx(p('{{Name}} {{image Logo}} {{date Day}}')));
  const good = { Name: 'Ann', Logo: 'https://e.example/a.png', Day: '2026-11-30' };
  expect(template.problems(good, { strict: true })).toEqual([]);
  expect(template.problems({ ...good, Day: 'x', Logo: 'no picture' })).toMatchObject([
    { field: 'Logo', code: 'bad_image' },
    { field: 'Day', code: 'bad_value' },
  ]);
});

it('a condition that cannot be decided does not hide what else is wrong, where there are images too', () => {
  const template = compile(docx(p('{{#if gt Hours 10}}{{image Logo}}{{/if}} {{date Day}}')));
  const data = { Hours: 'many', Day: 'x' };
  expect(template.imagesNeeded(data)).toEqual([]);
  expect(template.problems(data).map(({ field }) => field)).toEqual(['Hours', 'Day']);
});
