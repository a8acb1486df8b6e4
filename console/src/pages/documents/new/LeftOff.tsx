import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Banner } from '../../../ui/banner.tsx';
import type { Draft } from './draft.ts';

/** What was begun and not run: to go on with it, or the one thing that a reload has lost. */
export function LeftOff({
  draft,
  isThis,
  onDrop,
}: {
  readonly draft: Draft;
  /** The address is that of the draft. */
  readonly isThis: boolean;
  onDrop(): void;
}) {
  const kept = draft.kept();
  if (kept === null || draft.ran() !== null) return null;
  const startOver = (
    <Button size="small" onClick={onDrop}>
      Start over
    </Button>
  );
  if (draft.sheet() === null && isThis)
    return (
      <Banner phase="retrying" title={`Drop the file ${kept.file} again`} action={startOver}>
        The page was reloaded, and the browser does not keep files. Your choices for its columns are
        kept.
      </Banner>
    );
  if (isThis) return null;
  return (
    <Banner
      phase="scheduled"
      title={`${kept.file} with ${kept.template} is not run yet`}
      action={
        <span className="flex flex-wrap gap-2">
          <ButtonLink
            size="small"
            to="/documents/new"
            search={{ template: kept.template, again: kept.again ?? undefined, step: 'map' }}
          >
            Go on with it
          </ButtonLink>
          {startOver}
        </span>
      }
    >
      Your choices are kept{draft.sheet() === null ? '; drop the file again' : ''}.
    </Banner>
  );
}
