import { StateIcon } from '../../../ui/state.tsx';

const STEPS = [
  { step: 'files', word: 'Files' },
  { step: 'map', word: 'Map and preview' },
  { step: 'run', word: 'Run' },
] as const;
export type Step = (typeof STEPS)[number]['step'];

/** Where one is. A step that is done leads back to it. */
export function Steps({ at, onFiles }: { at: Step; onFiles(): void }) {
  const now = STEPS.findIndex(({ step }) => step === at);
  return (
    <ol aria-label="Steps" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small">
      {STEPS.map(({ step, word }, index) => (
        <li
          key={step}
          aria-current={index === now ? 'step' : undefined}
          className="flex items-center gap-1.5 text-ink-3 aria-[current=step]:font-semibold aria-[current=step]:text-ink"
        >
          {index > 0 && <i className="mr-1.5 h-px w-5 bg-line-strong max-md:hidden" />}
          {index < now ? (
            <button
              type="button"
              onClick={onFiles}
              className="flex items-center gap-1.5 rounded-token text-ink-2 hover:underline"
            >
              <StateIcon phase="succeeded" />
              {word}
            </button>
          ) : (
            <>
              <span
                className={`grid size-4.5 place-items-center rounded-full text-axis font-semibold ${index === now ? 'bg-brand text-on-brand' : 'border border-line-strong'}`}
              >
                {index + 1}
              </span>
              {word}
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
