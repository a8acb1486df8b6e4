import { ApiError } from '@millrace/api';
import { Banner } from './banner.tsx';
import { Button } from './button.tsx';

/** An error in the server's words, with its code and the correlation id for the log. */
export function Trouble({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = error instanceof ApiError ? error.problem : null;
  return (
    <Banner
      phase="failed"
      title={problem?.title ?? 'The server did not answer'}
      {...(problem && { code: problem.code })}
      {...(retry && {
        action: (
          <Button size="small" onClick={retry}>
            Try again
          </Button>
        ),
      })}
    >
      {problem?.detail ?? 'Check that Millrace is running and reachable from this machine.'}
      {problem?.correlationId !== undefined && problem.correlationId !== '' && (
        <>
          {' '}
          In the log: <code>{problem.correlationId}</code>
        </>
      )}
    </Banner>
  );
}
