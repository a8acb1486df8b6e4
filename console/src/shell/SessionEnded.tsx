import { useEffect, useState } from 'react';
import { useApp } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** The session ended while somebody worked. They sign in beside the page, which keeps what they typed. */
export function SessionEnded() {
  const { session, queries } = useApp();
  const [ended, setEnded] = useState(false);
  useEffect(
    () =>
      session.watch((signedIn) => {
        setEnded(!signedIn);
        if (signedIn) void queries.invalidateQueries();
      }),
    [session, queries],
  );
  if (!ended) return null;
  return (
    <Dialog
      title="Your session has ended"
      onClose={() => setEnded(false)}
      footer={
        <Button look="filled" onClick={() => void session.signIn({ returnTo: '', beside: true })}>
          Sign in again
        </Button>
      }
    >
      A window opens for it. What is on this page stays as it is.
    </Dialog>
  );
}
