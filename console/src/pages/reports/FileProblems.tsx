import { plural } from '../../time/words.ts';
import { StateIcon } from '../../ui/state.tsx';

interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/**
 * Files that could not be loaded, with where: the last good version stays in force meanwhile. One line until somebody opens it: they may
 * be about other files than the one that is shown.
 */
export function FileProblems({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  const files = new Set(problems.map(({ file }) => file));
  return (
    <details className="border-b border-line bg-failed-tint px-6 py-1.5 max-md:px-4">
      <summary className="cursor-pointer">
        <span className="inline-flex items-center gap-1.5 align-middle">
          <StateIcon phase="failed" size={13} />
          <b className="font-[550]">{plural(problems.length, 'problem')}</b> in{' '}
          {files.size === 1 ? <code>{problems[0]?.file}</code> : plural(files.size, 'file')}
        </span>
      </summary>
      <ul className="max-h-60 overflow-y-auto py-1.5">
        {problems.map(({ file, line, column, message }) => (
          <li key={`${file}${line}${column}${message}`}>
            <code>
              {file}:{line}:{column}
            </code>{' '}
            {message}
          </li>
        ))}
      </ul>
    </details>
  );
}
