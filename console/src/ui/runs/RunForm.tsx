import { ApiError } from '@millrace/api';
import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../button.tsx';
import {
  type Parameter,
  ParameterForm,
  type Suggested,
  defaultsOf,
  givenOf,
} from '../parameters.tsx';
import { Trouble } from '../trouble.tsx';

/** A form from parameters, what is wrong beside each, and the button that runs it. */
export function RunForm<Started>({
  parameters,
  description,
  why,
  start,
  suggested,
  onStarted,
  beside,
  after,
  className = '',
  children,
}: {
  readonly parameters: readonly Parameter[];
  readonly description: string | null;
  readonly why: string | null;
  start(given: ReturnType<typeof givenOf>): Promise<Started>;
  readonly suggested?: Suggested;
  onStarted(started: Started): void;
  /** Before and after the button, in its line. */
  readonly beside?: ReactNode;
  readonly after?: ReactNode;
  readonly className?: string;
  readonly children?: ReactNode;
}) {
  const [values, setValues] = useState(() => defaultsOf(parameters));
  const run = useMutation({
    mutationFn: () => start(givenOf(parameters, values)),
    onSuccess: onStarted,
  });
  const issues = run.error instanceof ApiError ? (run.error.problem.issues ?? []) : [];
  return (
    <form
      className={`grid gap-4 ${className}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null) run.mutate();
      }}
    >
      {children}
      {description !== null && <p className="text-ink-2">{description}</p>}
      <ParameterForm
        parameters={parameters}
        values={values}
        wrong={(name) => issues.find(({ path }) => path.includes(name))?.message ?? null}
        {...(suggested !== undefined && { suggested })}
        onChange={setValues}
      />
      {run.isError && <Trouble error={run.error} />}
      <div className="flex flex-wrap items-end gap-3">
        {beside}
        <Button
          type="submit"
          look="filled"
          icon={<Play size={14} />}
          why={why}
          disabled={run.isPending}
        >
          Run
        </Button>
        {after}
      </div>
    </form>
  );
}
