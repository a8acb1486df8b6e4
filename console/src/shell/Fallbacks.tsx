import { SearchParamError, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Trouble } from '../ui/trouble.tsx';
import { unreadIn } from './address.ts';
import { Page } from './Page.tsx';
import { NotLoaded, reloadIfUpgraded } from './whenNeeded.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="Page not found" action={<ButtonLink to="/">Overview</ButtonLink>}>
        The address may be mistyped, or from another version.
      </Empty>
    </Page>
  );
}

/** A page that broke. The rest of the console goes on. */
export function PageTrouble({ error, reset }: { error: unknown; reset(): void }) {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  if (error instanceof SearchParamError) return <AddressNotRead error={error} />;
  if (error instanceof NotLoaded) return <PageNotLoaded error={error} retry={retry} />;
  return (
    <Page title="This page crashed">
      <div className="p-6">
        <Trouble error={error} retry={retry} />
      </div>
    </Page>
  );
}

function PageNotLoaded({ error, retry }: { error: NotLoaded; retry(): void }) {
  useEffect(() => void reloadIfUpgraded().catch(() => undefined), []);
  return (
    <Page title="This page could not be loaded">
      <div className="p-6">
        <Banner
          phase="failed"
          title="The server did not send this page"
          action={
            <Button size="small" onClick={() => void error.again().then(retry)}>
              Try again
            </Button>
          }
        >
          Check that Millrace is running and reachable. Pages that are already open still work.
        </Banner>
      </div>
    </Page>
  );
}

/** A filter that is left out without a word would show what nobody asked for. */
function AddressNotRead({ error }: { error: SearchParamError }) {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const unread = unreadIn(error.cause);
  const names = new Set(unread.map(({ name }) => name));
  const left = Object.entries(search).filter(([name]) => !names.has(name));
  return (
    <Page title="Invalid address">
      <div className="p-6">
        <Banner
          phase="failed"
          title="Part of the address is invalid, so nothing is shown"
          action={
            <Button
              size="small"
              onClick={() => void navigate({ to: pathname, search: Object.fromEntries(left) })}
            >
              Show the page without {names.size === 1 ? 'it' : 'them'}
            </Button>
          }
        >
          <ul>
            {unread.map(({ name, why }) => (
              <li key={name}>
                <code className="break-all">
                  {name}={String(new Map(Object.entries(search)).get(name) ?? '')}
                </code>{' '}
                {why}
              </li>
            ))}
          </ul>
        </Banner>
      </div>
    </Page>
  );
}
