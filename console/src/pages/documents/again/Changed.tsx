import { Time } from '../../../time/Time.tsx';
import { plural } from '../../../time/words.ts';
import { Banner } from '../../../ui/banner.tsx';
import { type Changes, inSentences } from './again.ts';

/** A repeated batch, and the changes since last time. */
export function Changed({
  name,
  at,
  rows,
  changes,
}: {
  readonly name: string;
  readonly at: string;
  readonly rows: number;
  readonly changes: Changes;
}) {
  const sentences = inSentences(changes);
  const needsSomebody = changes.lost.length > 0 || changes.newFields.length > 0;
  return (
    <div className="border-b border-line px-6 py-3 max-md:px-4">
      <Banner
        phase={needsSomebody ? 'retrying' : 'succeeded'}
        title={
          <>
            As “{name}”, {plural(rows, 'row')}, <Time at={at} />
          </>
        }
      >
        {sentences.length === 0 ? (
          'The same columns and the same template as last time.'
        ) : (
          <ul aria-label="What changed">
            {sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </Banner>
    </div>
  );
}
