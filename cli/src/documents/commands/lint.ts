import { defineCommand } from '../../line/command.ts';
import { EXIT } from '../../line/exit.ts';
import { openInput, readBytes, readObject } from '../../input.ts';
import { lintHere } from '../local-office.ts';
import { flag, text } from '../../line/option.ts';
import { fieldsOf, inOrder, placeOf, problemLine, summaryOf } from '../render/problems.ts';
import { table } from '../../render/table.ts';

export const lint = defineCommand({
  name: 'lint',
  summary: 'Checks a template for problems, without a server.',
  usage: ['FILE [--data SAMPLE.json] [--fields]'],
  words: { least: 1, most: 1 },
  options: {
    data: text('FILE', 'Sample data; fields missing in it are errors.'),
    fields: flag('Lists the fields of the template.'),
  },
  examples: [
    'millrace lint invoice.docx',
    'millrace lint invoice.docx --data sample.json --fields',
    'millrace lint invoice.docx --json | jq .fields[].path',
  ],
  async run(context, { words: [file = ''], options: { data, fields } }) {
    const { out, json, quiet, document, note } = context;
    const bytes = await readBytes(await openInput(context, file));
    const sample = data === undefined ? undefined : await readObject(context, data);
    const report = await lintHere(bytes, sample);
    if (json) {
      document(report);
    } else {
      for (const problem of inOrder(report.problems)) out.line(problemLine(problem, out.paint));
      const found = fields ? fieldsOf(report) : [];
      if (quiet) for (const { path } of found) out.line(path);
      else if (found.length > 0)
        for (const line of table(COLUMNS, found, out.columns, out.paint)) out.line(line);
      note(summaryOf(report));
    }
    return report.ok ? EXIT.ok : EXIT.failed;
  },
});

type Field = ReturnType<typeof fieldsOf>[number];

const COLUMNS = [
  { header: 'FIELD', shrinkTo: 12, cell: ({ path }: Field) => path },
  { header: 'FIRST AT', shrinkTo: 8, leaveOut: 1, cell: placeOf, style: () => 'dim' as const },
];
