import type { ComponentPropsWithRef, ReactNode } from 'react';

const BOX =
  'h-7.5 w-full rounded-control border border-line-strong bg-raised px-2.25 text-ink placeholder:text-ink-3 aria-invalid:border-failed-fill max-md:h-10 max-md:text-[16px]';

/** A label above, a hint or what is wrong below; the input gets both by its id. */
export function Field({
  label,
  hint,
  wrong,
  id,
  children,
}: {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly wrong?: string | null;
  readonly id: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <label htmlFor={id} className="text-small text-ink-3">
        {label}
      </label>
      {children}
      {wrong != null ? (
        <p id={`${id}-note`} className="text-small text-failed">
          {wrong}
        </p>
      ) : (
        hint !== undefined && (
          <p id={`${id}-note`} className="text-small text-ink-3">
            {hint}
          </p>
        )
      )}
    </div>
  );
}

export function TextInput({ className = '', ...rest }: ComponentPropsWithRef<'input'>) {
  return <input className={`${BOX} ${className}`} {...rest} />;
}

export function Choice({ className = '', children, ...rest }: ComponentPropsWithRef<'select'>) {
  return (
    <select className={`${BOX} ${className}`} {...rest}>
      {children}
    </select>
  );
}

/** 15 px to the eye, 24 px to the finger. */
export function Checkbox({
  label,
  ...rest
}: { readonly label: string } & Omit<ComponentPropsWithRef<'input'>, 'type'>) {
  return (
    <label className="relative inline-grid size-6 place-items-center align-middle max-md:size-9">
      <span className="sr-only">{label}</span>
      <input type="checkbox" className="size-3.75 accent-brand" {...rest} />
    </label>
  );
}
