import { useNow } from './now.ts';
import { useSetting } from '../theme/settings.ts';
import { relative } from './words.ts';
import { clock, fullClock } from './zone.ts';

/** A moment as the reader chose to see moments; the other two forms are in the tooltip. */
export function Time({ at, className }: { at: string | number; className?: string }) {
  const now = useNow();
  const style = useSetting('time');
  const moment = typeof at === 'number' ? at : Date.parse(at);
  const shown = style === 'relative' ? relative(moment, now) : clock(moment, now, style);
  const title = `${fullClock(moment, 'local')}\n${fullClock(moment, 'utc')}\n${relative(moment, now)}`;
  return (
    <time dateTime={new Date(moment).toISOString()} title={title} className={className}>
      {shown}
    </time>
  );
}

/** How long ago, or how long until, whatever the reader chose: where only the distance matters. */
export function Ago({ at, className }: { at: string | number; className?: string }) {
  const now = useNow();
  const moment = typeof at === 'number' ? at : Date.parse(at);
  const title = `${fullClock(moment, 'local')}\n${fullClock(moment, 'utc')}`;
  return (
    <time dateTime={new Date(moment).toISOString()} title={title} className={className}>
      {relative(moment, now)}
    </time>
  );
}
