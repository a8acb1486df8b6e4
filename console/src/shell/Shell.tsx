import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Menu, Search } from 'lucide-react';
import { type ComponentType, use, useEffect, useState } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { Toasts, toast } from '../ui/toast.tsx';
import { useKeys } from './keys.ts';
import { Logo } from './Logo.tsx';
import { Nav } from './Nav.tsx';
import { Person } from './Person.tsx';
import { SECTIONS } from './sections.ts';
import { MeContext, useApp } from '../data/client.ts';
import { Dialog } from '../ui/dialog.tsx';

/** Navigation on the canvas, one sheet beside it. Under 720 px: a bar above, tabs below, the sheet from edge to edge. */
export function Shell() {
  const [Palette, setPalette] = useState<ComponentType<{ onClose(): void }> | null>(null);
  const find = (): void =>
    void import('./palette/Palette.tsx').then(
      (module) => setPalette(() => module.Palette),
      () => toast({ text: 'The command palette could not be loaded. Try again.', phase: 'failed' }),
    );
  useKeys({ 'mod+k': find });
  return (
    <div className="flex h-dvh min-w-80 max-md:flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:rounded-control focus:bg-raised focus:p-2"
      >
        Skip to content
      </a>
      <Nav onFind={find} />
      <TopBar onFind={find} />
      <main
        id="main"
        className="relative my-2 mr-2 flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden rounded-sheet border border-line bg-surface short:block short:overflow-y-auto shadow-control max-md:m-0 max-md:rounded-none max-md:border-x-0 print:m-0 print:border-0"
      >
        <Outlet />
      </main>
      <BottomTabs />
      {Palette !== null && <Palette onClose={() => setPalette(null)} />}
      <SessionEnded />
      <Toasts />
    </div>
  );
}

function TopBar({ onFind }: { onFind(): void }) {
  return (
    <div className="flex h-12 flex-none items-center gap-2.5 px-3 md:hidden print:hidden">
      <Logo size={24} />
      <b className="flex-1 text-lead">Millrace</b>
      <IconButton label="Command palette" onClick={onFind}>
        <Search size={17} />
      </IconButton>
      <div>
        <Person compact />
      </div>
    </div>
  );
}

const TAB =
  'flex flex-1 flex-col items-center justify-center gap-0.5 text-axis text-ink-3 aria-[current=page]:font-[550] aria-[current=page]:text-link';

function BottomTabs() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const rest = SECTIONS.slice(4);
  const inRest = rest.some(({ to }) => path.startsWith(to));
  return (
    <nav
      aria-label="Main"
      className="flex h-14 flex-none border-t border-line bg-canvas pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
    >
      {SECTIONS.slice(0, 4).map(({ to, word, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          className={TAB}
        >
          <Icon size={19} strokeWidth={1.75} />
          {word}
        </Link>
      ))}
      <button
        type="button"
        popoverTarget="more-pages"
        className={TAB}
        aria-current={inRest ? 'page' : undefined}
      >
        <Menu size={19} strokeWidth={1.75} />
        More
      </button>
      <div
        id="more-pages"
        popover="auto"
        className="appearing inset-auto right-2 bottom-16 m-0 min-w-44 rounded-node bg-raised p-1.5 text-ink shadow-pop"
      >
        {rest.map(({ to, word, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            className="flex h-10 items-center gap-2.5 rounded-control px-3 hover:bg-hover"
            onClick={() => document.getElementById('more-pages')?.hidePopover()}
          >
            <Icon size={17} strokeWidth={1.75} className="text-ink-3" />
            {word}
          </Link>
        ))}
      </div>
    </nav>
  );
}

/** The session ended while somebody worked. They sign in beside the page, which keeps what they typed. */
function SessionEnded() {
  const { api, session, queries } = useApp();
  const me = use(MeContext);
  const [ended, setEnded] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(
    () =>
      session.watch((signedIn) => {
        setEnded(!signedIn);
        if (!signedIn) return;
        void queries.invalidateQueries();
        // Somebody else signed in, here or in another tab: what this page shows and offers is not theirs.
        void api.me().then((now) => {
          if (now.subject !== me?.subject) location.reload();
        });
      }),
    [api, session, queries, me],
  );
  if (!ended) return null;
  return (
    <Dialog
      title="Your session has ended"
      onClose={() => setEnded(false)}
      footer={
        <Button
          look="filled"
          onClick={() =>
            void session.signIn({ returnTo: '', beside: true }).then(
              () => setWrong(null),
              (error: unknown) => setWrong(error instanceof Error ? error.message : String(error)),
            )
          }
        >
          Sign in again
        </Button>
      }
    >
      Sign-in opens in a new window. This page stays as it is.
      {wrong !== null && (
        <p role="alert" className="mt-2 text-failed">
          {wrong}
        </p>
      )}
    </Dialog>
  );
}
