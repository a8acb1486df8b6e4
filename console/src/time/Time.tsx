import { useByNow } from './now.ts';
import { useSetting } from '../theme/settings.ts';
import { relative } from './words.ts';
import { clock, fullClock } from './zone.ts';

/** A moment as the reader chose to see moments; the other two forms are in the tooltip. */
export function Time({ at, className }: { at: string | number; className?: string }) {
  const style = useSetting('time');
  const moment = typeof at === 'number' ? at : Date.parse(at);
  const ago = useByNow((now) => relative(moment, now));
  const absolute = useByNow((now) => clock(moment, now, style === 'utc' ? 'utc' : 'local'));
  return (
    <time
      dateTime={new Date(moment).toISOString()}
      title={`${inBothZones(moment)}\n${ago}`}
      className={className}
    >
      {style === 'relative' ? ago : absolute}
    </time>
  );
}

/** How long ago, or how long until, whatever the reader chose: where only the distance matters. */
export function Ago({ at, className }: { at: string | number; className?: string }) {
  const moment = typeof at === 'number' ? at : Date.parse(at);
  const ago = useByNow((now) => relative(moment, now));
  return (
    <time
      dateTime={new Date(moment).toISOString()}
      title={inBothZones(moment)}
      className={className}
    >
      {ago}
    </time>
  );
}

function inBothZones(moment: number): string {
  return `${fullClock(moment, 'local')}\n${fullClock(moment, 'utc')}`;
}
