import { useState } from 'react';
import { Choice, Field, TextInput } from '../../../ui/field.tsx';
import { type Schema, controlOf, withoutNull } from './schema.ts';

interface Issue {
  readonly path: string;
  readonly message: string;
}

/** A field for each property, with what the service found wrong beside it. */
export function SchemaForm({
  schema,
  value,
  issues,
  onChange,
}: {
  readonly schema: Schema | null;
  readonly value: unknown;
  readonly issues: readonly Issue[];
  onChange(value: unknown): void;
}) {
  const fields = Object.entries(schema?.properties ?? {});
  const data =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  if (fields.length === 0)
    return <p className="text-ink-3">This kind takes no data that a form could ask for.</p>;
  const set = (name: string, next: unknown): void => {
    const { [name]: _, ...rest } = data;
    onChange(next === undefined ? rest : { ...rest, [name]: next });
  };
  return (
    <div className="grid gap-3">
      {fields.map(([name, field]) => (
        <SchemaField
          key={name}
          name={name}
          schema={withoutNull(field)}
          required={schema?.required?.includes(name) === true}
          value={data[name]}
          wrong={
            issues.find(({ path }) => path.replace(/^data\.?/, '').startsWith(name))?.message ??
            null
          }
          onChange={(next) => set(name, next)}
        />
      ))}
    </div>
  );
}

function SchemaField({
  name,
  schema,
  required,
  value,
  wrong,
  onChange,
}: {
  name: string;
  schema: Schema;
  required: boolean;
  value: unknown;
  wrong: string | null;
  onChange(value: unknown): void;
}) {
  const id = `field-${name}`;
  const label = (
    <>
      <code>{name}</code> {required ? '' : '(optional)'}
    </>
  );
  const shared = {
    id,
    required,
    'aria-invalid': wrong !== null,
    'aria-describedby': `${id}-note`,
  } as const;
  const hint = schema.description === undefined ? {} : { hint: schema.description };
  return (
    <Field id={id} label={label} wrong={wrong} {...hint}>
      <Input shared={shared} schema={schema} value={value} onChange={onChange} />
    </Field>
  );
}

type Shared = { readonly id: string; readonly required: boolean };

function Input({
  shared,
  schema,
  value,
  onChange,
}: {
  shared: Shared;
  schema: Schema;
  value: unknown;
  onChange(value: unknown): void;
}) {
  switch (controlOf(schema)) {
    case 'choice':
      return (
        <Choice
          {...shared}
          value={value === undefined ? '' : JSON.stringify(value)}
          onChange={(event) =>
            onChange(event.target.value === '' ? undefined : JSON.parse(event.target.value))
          }
        >
          <option value="">–</option>
          {schema.enum?.map((each) => (
            <option key={String(each)} value={JSON.stringify(each)}>
              {String(each)}
            </option>
          ))}
        </Choice>
      );
    case 'flag':
      return (
        <input
          type="checkbox"
          {...shared}
          required={false}
          className="my-1 size-4 accent-brand"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case 'number':
      return (
        <TextInput
          {...shared}
          type="number"
          min={schema.minimum}
          max={schema.maximum}
          step={schema.type === 'integer' ? 1 : 'any'}
          value={typeof value === 'number' ? value : ''}
          onChange={(event) =>
            onChange(event.target.value === '' ? undefined : event.target.valueAsNumber)
          }
        />
      );
    case 'date':
    case 'text':
      return (
        <TextInput
          {...shared}
          type={schema.format === 'date' ? 'date' : 'text'}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
        />
      );
    case 'json':
      return <JsonInput shared={shared} value={value} onChange={onChange} />;
  }
}

/** Text until it is JSON: what is half typed stays as it is, and is not sent, nor is what stood there before it. */
function JsonInput({
  shared,
  value,
  onChange,
}: {
  shared: Shared;
  value: unknown;
  onChange(value: unknown): void;
}) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  return (
    <textarea
      {...shared}
      rows={4}
      spellCheck={false}
      value={text}
      placeholder="JSON"
      className="w-full rounded-control border border-line-strong bg-raised p-2.25 font-mono text-small user-invalid:border-failed-fill"
      onChange={(event) => {
        setText(event.target.value);
        event.target.setCustomValidity('');
        try {
          onChange(event.target.value.trim() === '' ? undefined : JSON.parse(event.target.value));
        } catch {
          event.target.setCustomValidity('This is not valid JSON.');
        }
      }}
    />
  );
}
