import { use } from 'react';
import { Link } from '@tanstack/react-router';
import { BookOpen, Compass, Ellipsis, LogOut } from 'lucide-react';
import { MeContext, useApp } from '../data/client.ts';
import { rolesInWords } from '../data/roles.ts';
import { type Settings, choose, useSetting } from '../theme/settings.ts';
import { Button } from '../ui/button.tsx';
import { Segmented } from '../ui/segmented.tsx';

const THEMES = [
  { value: 'system', word: 'System' },
  { value: 'light', word: 'Light' },
  { value: 'dark', word: 'Dark' },
] as const satisfies readonly { value: Settings['theme']; word: string }[];

const TIMES = [
  { value: 'local', word: 'Local' },
  { value: 'utc', word: 'UTC' },
  { value: 'relative', word: 'Relative' },
] as const satisfies readonly { value: Settings['time']; word: string }[];

const ENTRY = 'flex h-8 items-center gap-1.5 rounded-control px-2.75 hover:bg-hover max-md:h-9';

/** The menu of the signed-in person with their settings. A native pop-over: it closes on Escape and on a click outside. */
export function Person({ compact = false }: { compact?: boolean }) {
  const me = use(MeContext);
  const { session } = useApp();
  const theme = useSetting('theme');
  const time = useSetting('time');
  const singleKeys = useSetting('keys');
  const name = me?.name ?? '…';
  const id = compact ? 'person-menu-small' : 'person-menu';
  const close = (): void => document.getElementById(id)?.hidePopover();
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        className="flex w-full items-center gap-2.25 rounded-control px-1.5 py-1.25 text-left hover:bg-hover"
        aria-label={`${name}, ${rolesInWords(me?.roles ?? [])}: settings`}
      >
        <span className="grid size-6.5 flex-none place-items-center rounded-full bg-brand text-axis font-semibold text-on-brand">
          {initials(name)}
        </span>
        {!compact && (
          <>
            <span className="min-w-0 flex-1">
              <b className="block truncate text-small font-medium">{name}</b>
              <small className="block text-axis text-ink-3">{rolesInWords(me?.roles ?? [])}</small>
            </span>
            <Ellipsis size={15} className="text-ink-3" />
          </>
        )}
      </button>
      <div
        id={id}
        popover="auto"
        className={`appearing m-0 w-68 rounded-node bg-raised p-3 text-ink shadow-pop ${compact ? 'inset-auto top-12 right-3' : 'inset-auto bottom-14 left-3'}`}
      >
        <div className="grid gap-2.5">
          <div className="truncate text-small text-ink-3">{name}</div>
          <div className="flex items-center justify-between gap-2">
            Theme{' '}
            <Segmented
              label="Theme"
              value={theme}
              options={THEMES}
              onChange={(value) => choose('theme', value)}
            />
          </div>
          <div className="flex items-center justify-between gap-2">
            Times{' '}
            <Segmented
              label="Times"
              value={time}
              options={TIMES}
              onChange={(value) => choose('time', value)}
            />
          </div>
          <div className="flex items-center justify-between gap-2">
            Single keys
            <Segmented
              label="Single-key shortcuts"
              value={singleKeys}
              options={[
                { value: 'on', word: 'On' },
                { value: 'off', word: 'Off' },
              ]}
              onChange={(value) => choose('keys', value)}
            />
          </div>
          <div className="grid border-y border-line py-1.5">
            <Link to="/welcome" className={ENTRY} onClick={close}>
              <Compass size={14} className="text-ink-3" /> First steps
            </Link>
            <a href="/docs/" target="_blank" rel="noreferrer" className={ENTRY}>
              <BookOpen size={14} className="text-ink-3" /> Documentation
            </a>
          </div>
          <Button
            look="ghost"
            icon={<LogOut size={14} />}
            className="justify-start"
            onClick={() => void session.signOut()}
          >
            Sign out
          </Button>
        </div>
      </div>
    </>
  );
}

function initials(name: string): string {
  const words = name
    .replace(/@.*/, '')
    .split(/[\s._:-]+/)
    .filter(Boolean);
  return (
    words
      .slice(0, 2)
      .map((word) => word.charAt(0).toUpperCase())
      .join('') || '?'
  );
}
