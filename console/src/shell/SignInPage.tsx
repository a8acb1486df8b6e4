import { useState } from 'react';
import { LogIn } from 'lucide-react';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Logo } from './Logo.tsx';

/** Before anything else, for who is not signed in. They come back to the page that they wanted. */
export function SignInPage({
  session,
  returnTo,
  wrong,
}: {
  session: Session;
  returnTo: string;
  wrong?: string;
}) {
  const [trouble, setTrouble] = useState(wrong);
  const begin = (): void => {
    setTrouble(undefined);
    session
      .signIn({ returnTo })
      .catch((error: unknown) =>
        setTrouble(error instanceof Error ? error.message : String(error)),
      );
  };
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="flex w-full max-w-90 flex-col items-center gap-4 rounded-sheet border border-line bg-surface p-8 text-center shadow-control">
        <Logo size={44} />
        <div>
          <h1 className="text-figure-2">Millrace</h1>
          <p className="text-ink-2">
            Batch work, from a queue that lives in records you already have.
          </p>
        </div>
        {trouble !== undefined && (
          <p role="alert" className="text-failed">
            {trouble}
          </p>
        )}
        <Button look="filled" icon={<LogIn size={15} />} onClick={begin} className="w-full">
          Sign in
        </Button>
      </div>
    </main>
  );
}
