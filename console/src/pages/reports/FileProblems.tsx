import { Banner } from '../../ui/banner.tsx';

interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Files that could not be loaded, with where: the last good version stays in force meanwhile. */
export function FileProblems({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <div className="p-6 pb-0 max-md:p-4">
      <Banner
        phase="failed"
        title={
          problems.length === 1 ? 'A file has a problem' : `${problems.length} problems in files`
        }
      >
        <ul>
          {problems.map(({ file, line, column, message }) => (
            <li key={`${file}${line}${column}${message}`}>
              <code>
                {file}:{line}:{column}
              </code>{' '}
              {message}
            </li>
          ))}
        </ul>
      </Banner>
    </div>
  );
}
