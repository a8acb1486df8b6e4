import { ApiError } from '@millrace/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { Page } from '../../shell/Page.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Choice, Field, TextInput } from '../../ui/field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { toast } from '../../ui/toast.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { SchemaForm } from './new/SchemaForm.tsx';
import { type Schema, emptyOf } from './new/schema.ts';

const CRUMBS = [{ word: 'Jobs', link: { to: '/jobs' } }] as const;

/** A job by hand: its kind, its data as a form made from the kind's schema or as JSON, and when. Also a job once more, with other data. */
export function NewJobPage() {
  const api = useApi();
  const { from, kind } = useSearch({ from: '/shell/jobs/new' });
  const kinds = useQuery({ queryKey: keys.kinds(), queryFn: () => api.listKinds() });
  const source = useQuery({
    queryKey: keys.job(from ?? ''),
    queryFn: () => api.getJob({ params: { id: from ?? '' } }),
    enabled: from !== undefined,
  });
  const offered = kinds.data?.kinds.filter((each) => each.public) ?? [];
  const isReady = kinds.isSuccess && (from === undefined || !source.isPending);
  return (
    <Page title={from === undefined ? 'Enqueue a job' : `Enqueue again: ${from}`} crumbs={CRUMBS}>
      <div className="mx-auto grid max-w-180 gap-4 p-6 max-md:p-4">
        {kinds.isError && <Trouble error={kinds.error} retry={() => void kinds.refetch()} />}
        {source.isError && <Trouble error={source.error} />}
        {isReady && offered.length === 0 && (
          <Empty title="No public kinds">
            Declare a kind in a file of <code>jobs/</code> with <code>public: true</code> to enqueue
            it here.
          </Empty>
        )}
        {isReady && offered.length > 0 && (
          <NewJob
            kinds={offered}
            first={source.data?.kind ?? kind ?? offered[0]?.name ?? ''}
            data={source.data?.data}
          />
        )}
      </div>
    </Page>
  );
}

interface Offered {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly policy: string;
}

function NewJob({
  kinds,
  first,
  data,
}: {
  kinds: readonly Offered[];
  first: string;
  data?: unknown;
}) {
  const api = useApi();
  const navigate = useNavigate();
  const may = useMay('enqueue');
  const [kind, setKind] = useState(first);
  const chosen = kinds.find((each) => each.name === kind);
  const schema = (chosen?.input ?? null) as Schema | null;
  const [value, setValue] = useState<unknown>(data ?? emptyOf(schema));
  const [json, setJson] = useState(JSON.stringify(data ?? emptyOf(schema), null, 2));
  const [way, setWay] = useState<'form' | 'json'>(
    schema?.properties === undefined ? 'json' : 'form',
  );
  const [key, setKey] = useState('');
  const [priority, setPriority] = useState('');
  const parsed = way === 'json' ? parse(json) : { value, wrong: null };
  const make = useMutation({
    mutationFn: () =>
      api.enqueue({
        body: {
          kind,
          data: parsed.value,
          ...(key !== '' && { key }),
          ...(priority !== '' && { priority: Number(priority) }),
        },
      }),
    onSuccess: (job) => {
      toast({ text: `${job.id} is queued`, phase: 'queued' });
      void navigate({ to: '/jobs/$id', params: { id: job.id } });
    },
  });
  const choose = (name: string): void => {
    const next = (kinds.find((each) => each.name === name)?.input ?? null) as Schema | null;
    setKind(name);
    setValue(emptyOf(next));
    setJson(JSON.stringify(emptyOf(next), null, 2));
    setWay(next?.properties === undefined ? 'json' : 'form');
    make.reset();
  };
  const why = may.why ?? (chosen === undefined ? `${kind} is no kind that people enqueue.` : null);
  const issues = make.error instanceof ApiError ? (make.error.problem.issues ?? []) : [];
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (parsed.wrong === null && why === null) make.mutate();
      }}
    >
      <Field id="kind" label="Kind" hint={chosen?.policy}>
        <Choice id="kind" value={kind} onChange={(event) => choose(event.target.value)}>
          {chosen === undefined && <option disabled>{kind}</option>}
          {kinds.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Choice>
      </Field>
      <div className="flex items-center">
        <h2 className="flex-1">Data</h2>
        <Segmented
          label="Data as"
          value={way}
          options={[
            { value: 'form', word: 'Form' },
            { value: 'json', word: 'JSON' },
          ]}
          onChange={(next) => {
            // What is not JSON yet stays as it was typed: the form could not show it.
            if (parsed.wrong !== null) return;
            if (next === 'json') setJson(JSON.stringify(value, null, 2));
            else setValue(parsed.value);
            setWay(next);
          }}
        />
      </div>
      {way === 'form' ? (
        <SchemaForm schema={schema} value={value} issues={issues} onChange={setValue} />
      ) : (
        <Field id="json" label="JSON" wrong={parsed.wrong}>
          <textarea
            id="json"
            spellCheck={false}
            rows={12}
            value={json}
            aria-invalid={parsed.wrong !== null}
            className="w-full rounded-control border border-line-strong bg-raised p-2.25 font-mono text-small aria-invalid:border-failed-fill"
            onChange={(event) => setJson(event.target.value)}
          />
        </Field>
      )}
      <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
        <Field
          id="key"
          label="Key"
          hint="Jobs with the same key run once. Leave it empty to enqueue a new job each time."
        >
          <TextInput id="key" value={key} onChange={(event) => setKey(event.target.value)} />
        </Field>
        <Field id="priority" label="Priority" hint="Higher first; empty comes last.">
          <TextInput
            id="priority"
            type="number"
            value={priority}
            onChange={(event) => setPriority(event.target.value)}
          />
        </Field>
      </div>
      {make.isError && <Trouble error={make.error} />}
      {make.isError && !(make.error instanceof ApiError) && key === '' && (
        <p className="text-ink-2">
          It may have been queued anyway: check your{' '}
          <Link
            to="/jobs"
            search={{ submitter: 'me' }}
            target="_blank"
            className="text-link underline"
          >
            jobs
          </Link>{' '}
          before you enqueue it again. With a key, sending it twice is safe.
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button
          type="submit"
          look="filled"
          icon={<Plus size={14} />}
          why={why}
          disabled={make.isPending || parsed.wrong !== null}
        >
          Enqueue
        </Button>
      </div>
    </form>
  );
}

function parse(text: string): { value: unknown; wrong: string | null } {
  try {
    return { value: JSON.parse(text), wrong: null };
  } catch (error) {
    return { value: null, wrong: error instanceof Error ? error.message : String(error) };
  }
}
