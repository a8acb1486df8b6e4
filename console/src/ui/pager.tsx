import { ChevronLeft, ChevronRight } from 'lucide-react';
import { IconButton } from './button.tsx';

/** To the next page of a list and back. Cursors lead forward only, so the way back is the browser's own. */
export function Pager({
  isFirst,
  next,
  onNext,
}: {
  readonly isFirst: boolean;
  /** The cursor of the next page. */
  readonly next: string | null | undefined;
  onNext(cursor: string): void;
}) {
  return (
    <>
      <IconButton label="Back" disabled={isFirst} onClick={() => history.back()}>
        <ChevronLeft size={16} />
      </IconButton>
      <IconButton
        label="Next page"
        disabled={next == null}
        onClick={() => next != null && onNext(next)}
      >
        <ChevronRight size={16} />
      </IconButton>
    </>
  );
}
