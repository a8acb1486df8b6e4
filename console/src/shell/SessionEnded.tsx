import { use, useEffect, useState } from 'react';
import { MeContext, useApp } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** The session ended while somebody worked. They sign in beside the page, which keeps what they typed. */
export function SessionEnded() {
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
