import { useRouter } from '@tanstack/react-router';
import { ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Trouble } from '../ui/trouble.tsx';
import { Page } from './Page.tsx';

export function NotFound() {
  return (
    <Page title="Not here">
      <Empty title="There is no such page" action={<ButtonLink to="/">Overview</ButtonLink>}>
        The address may be mistyped, or from another version.
      </Empty>
    </Page>
  );
}

/** A page that broke. The rest of the console goes on. */
export function PageTrouble({ error, reset }: { error: unknown; reset(): void }) {
  const router = useRouter();
  return (
    <Page title="This page broke">
      <div className="p-6">
        <Trouble
          error={error}
          retry={() => {
            reset();
            void router.invalidate();
          }}
        />
      </div>
    </Page>
  );
}
