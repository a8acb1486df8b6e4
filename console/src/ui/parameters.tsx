import type { Client } from '@millrace/api';
import { Choice, Field, TextInput } from './field.tsx';

export type Parameter = Awaited<ReturnType<Client['getReport']>>['parameters'][number];
/** Values to choose from that the database has, by parameter. */
export type Suggested = Readonly<Record<string, Parameter['choices']>>;
export type Values = Readonly<Record<string, string>>;

/** The initial values of the form: today's defaults, so that people see what they get. */
export function defaultsOf(parameters: readonly Parameter[]): Values {
  return Object.fromEntries(
    parameters.map(({ name, defaultNow }) => [
      name,
      Array.isArray(defaultNow) ? defaultNow.join(', ') : (defaultNow ?? ''),
    ]),
  );
}

/** The values to send: changed and required ones. An unchanged default keeps its words, such as "last month". */
export function givenOf(
  parameters: readonly Parameter[],
  values: Values,
): Record<string, string | string[]> {
  const untouched = defaultsOf(parameters);
  const given = parameters.flatMap(({ name, list }) => {
    const value = values[name] ?? '';
    if (value === untouched[name] || value === '') return [];
    return [[name, list ? value.split(/\s*,\s*/) : value]];
  });
  return Object.fromEntries(given) as Record<string, string | string[]>;
}

/** With what something ran: `month 2026-01, county Kent`. */
export function parametersInWords(parameters: Readonly<Record<string, unknown>>): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${inWords(value)}`]))
    .join(', ');
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(inWords).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A field for each parameter of a report or pipeline. */
export function ParameterForm({
  parameters,
  values,
  wrong,
  suggested = {},
  onChange,
}: {
  parameters: readonly Parameter[];
  values: Values;
  wrong: (name: string) => string | null;
  suggested?: Suggested;
  onChange(values: Values): void;
}) {
  if (parameters.length === 0) return <p className="text-ink-3">It takes no parameters.</p>;
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(180px,1fr))] gap-x-4 gap-y-3">
      {parameters.map((parameter) => {
        const { name, label, help, required, default: words } = parameter;
        const hint = help ?? (typeof words === 'string' ? `default: ${words}` : null);
        return (
          <Field
            key={name}
            id={`parameter-${name}`}
            label={`${label}${required ? '' : ' (optional)'}`}
            wrong={wrong(name)}
            {...(hint !== null && { hint })}
          >
            <Input
              parameter={parameter}
              value={values[name] ?? ''}
              suggested={suggested[name] ?? []}
              onChange={(value) => onChange({ ...values, [name]: value })}
            />
          </Field>
        );
      })}
    </div>
  );
}

const TYPES: Readonly<Partial<Record<Parameter['type'], string>>> = {
  date: 'date',
  month: 'month',
  'whole number': 'number',
  decimal: 'number',
};

function Input({
  parameter: { name, type, label, list, choices, min, max, required },
  value,
  suggested,
  onChange,
}: {
  parameter: Parameter;
  value: string;
  suggested: Parameter['choices'];
  onChange(value: string): void;
}) {
  const shared = {
    id: `parameter-${name}`,
    required,
    value,
    'aria-describedby': `parameter-${name}-note`,
  };
  const known = type === 'choice' ? choices : suggested;
  // Several are written with commas between them.
  if (list && known.length > 0 && known.every((each) => !each.value.includes(','))) {
    return <Several {...shared} label={label} known={known} onChange={onChange} />;
  }
  if (type === 'choice' && !list) {
    return (
      <Choice {...shared} onChange={(event) => onChange(event.target.value)}>
        <option value="">–</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </Choice>
    );
  }
  if (type === 'boolean') {
    return (
      <Choice {...shared} onChange={(event) => onChange(event.target.value)}>
        <option value="">–</option>
        <option value="true">yes</option>
        <option value="false">no</option>
      </Choice>
    );
  }
  return (
    <>
      <TextInput
        {...shared}
        list={suggested.length > 0 ? `parameter-${name}-suggested` : undefined}
        type={list ? 'text' : (TYPES[type] ?? 'text')}
        min={min ?? undefined}
        max={max ?? undefined}
        placeholder={
          list
            ? 'several, with commas'
            : type === 'date range'
              ? '2026-01-01..2026-01-31'
              : undefined
        }
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={`parameter-${name}-suggested`}>
        {suggested.map((each) => (
          <option key={each.value} value={each.value} label={each.label} />
        ))}
      </datalist>
    </>
  );
}

/** A box for each value. Those that are given and not known stay, as they came from a default or a link. */
function Several({
  id,
  label,
  value,
  known,
  onChange,
  ...rest
}: {
  id: string;
  label: string;
  value: string;
  known: Parameter['choices'];
  onChange(value: string): void;
  'aria-describedby': string;
}) {
  const given = value.split(/\s*,\s*/).filter(Boolean);
  const strange = given.filter((each) => known.every((choice) => choice.value !== each));
  const all = [...known, ...strange.map((each) => ({ value: each, label: each }))];
  const flip = (which: string): void =>
    onChange(
      all
        .map((each) => each.value)
        .filter((each) => given.includes(each) !== (each === which))
        .join(', '),
    );
  return (
    <div
      id={id}
      role="group"
      aria-label={label}
      aria-describedby={rest['aria-describedby']}
      className="max-h-40 overflow-y-auto rounded-control border border-line-strong bg-raised py-0.5"
    >
      {all.map((each) => (
        <label
          key={each.value}
          className="flex min-h-6 items-center gap-2 px-2 hover:bg-hover max-md:min-h-9"
        >
          <input
            type="checkbox"
            className="size-3.75 accent-brand"
            checked={given.includes(each.value)}
            onChange={() => flip(each.value)}
          />
          {each.label}
        </label>
      ))}
    </div>
  );
}
