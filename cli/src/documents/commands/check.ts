import { availableParallelism } from 'node:os';
import { type CheckedFile, checkFiles, wordFiles } from '../check-files.ts';
import { defineCommand } from '../../line/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../line/exit.ts';
import { openWorkbench } from '../local-office.ts';
import { flag } from '../../line/option.ts';
import { bar, fractionOf } from '../../render/bar.ts';
import { CHECK_COLUMNS, groupsOf, resultLine, summaryOf } from '../render/check.ts';
import { createLive } from '../../render/live.ts';
import { counted } from '../../render/number.ts';
import { table } from '../../render/table.ts';
import { clean } from '../../render/width.ts';

export const check = defineCommand({
  name: 'check',
  summary: 'Tests all Word files of a folder, without a server.',
  usage: ['FOLDER [--no-convert]'],
  words: { least: 1, most: 1 },
  options: {
    'no-convert': flag('Makes no PDFs, even if LibreOffice is installed.'),
  },
  examples: [
    'millrace check templates/',
    'millrace check templates/ --no-convert --quiet',
    "millrace check templates/ --json | jq -c 'select(.works == false)'",
  ],
  async run(context, { words: [folder = ''], options }) {
    const { root, files } = await wordFiles(folder);
    const atOnce = Math.min(availableParallelism(), files.length);
    const converts = options['no-convert'] !== true;
    const bench = await openWorkbench(context, { atOnce, converts });
    const checked: CheckedFile[] = [];
    const progress = progressOf(context, files.length);
    try {
      if (converts && bench.convert === null)
        context.note('LibreOffice is not installed: the files are merged but not converted.');
      await checkFiles(context, bench, { root, files, atOnce }, (file) => {
        checked.push(file);
        if (context.json) context.document(file);
        progress.show(checked.length, file.file);
      });
    } finally {
      progress.end();
      await bench.close();
    }
    checked.sort((a, b) => (a.file < b.file ? -1 : 1));
    show(context, checked);
    return checked.every(({ works }) => works) ? EXIT.ok : EXIT.failed;
  },
});

function progressOf({ err, json, quiet }: Context, total: number) {
  const live = err.isLive && !json && !quiet ? createLive(err) : null;
  return {
    show(done: number, file: string): void {
      const drawn = bar(fractionOf(done, total), 20, err.paint);
      live?.draw([`${drawn} ${done} of ${counted(total, 'file')}  ${clean(file)}`]);
    },
    end: (): void => live?.end(),
  };
}

function show({ json, quiet, out, document }: Context, checked: readonly CheckedFile[]): void {
  const summary = summaryOf(checked);
  if (json) return document(summary);
  if (quiet) {
    for (const { works, file } of checked) if (!works) out.line(clean(file));
    return;
  }
  for (const line of table(CHECK_COLUMNS, groupsOf(checked), out.columns, out.paint))
    out.line(line);
  out.line(resultLine(summary));
}
