import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentPropsWithRef, MouseEvent, ReactNode } from 'react';

type Look = 'filled' | 'plain' | 'ghost' | 'danger';
type Size = 'normal' | 'small';

interface Dress {
  readonly look?: Look;
  readonly size?: Size;
  readonly icon?: ReactNode;
}

const BASE =
  'inline-flex flex-none items-center justify-center gap-1.5 rounded-control border font-medium whitespace-nowrap transition-colors duration-100';
const SIZES: Readonly<Record<Size, string>> = {
  normal: 'h-7.5 px-2.75 max-md:h-9',
  small: 'h-6.5 px-2.25 text-small max-md:h-9',
};
const LOOKS: Readonly<Record<Look, string>> = {
  filled:
    'border-brand bg-brand text-on-brand shadow-control hover:bg-brand-strong hover:border-brand-strong',
  plain: 'border-line-strong bg-raised text-ink shadow-control hover:bg-hover [&>svg]:text-ink-3',
  ghost: 'border-transparent text-ink-2 hover:bg-hover hover:text-ink [&>svg]:text-ink-3',
  danger: 'border-line-strong bg-raised text-failed shadow-control hover:bg-failed-tint',
};
const OFF = 'border-line bg-well text-ink-3 shadow-none hover:bg-well';

function classes({ look = 'plain', size = 'normal' }: Dress, off = false): string {
  return `${BASE} ${SIZES[size]} ${off ? OFF : LOOKS[look]}`;
}

/**
 * `why`: the button is there and does nothing, and says why, to the eye and to a screen reader. It keeps its place in the order
 * of focus, since who cannot reach it cannot learn why. `disabled` is for a moment, as while a call is under way: the focus stays too,
 * where the attribute of HTML would drop it, and who uses the keyboard would begin at the top of the page again.
 */
export function Button({
  look,
  size,
  icon,
  why,
  disabled = false,
  children,
  className = '',
  onClick,
  ...rest
}: Dress & { readonly why?: string | null } & ComponentPropsWithRef<'button'>) {
  const off = why != null || disabled;
  return (
    <button
      type="button"
      aria-disabled={off || undefined}
      title={why ?? rest.title}
      onClick={off ? prevent : onClick}
      className={`${classes(dress(look, size), off)} ${className}`}
      {...rest}
    >
      {icon}
      {children}
      {why != null && <span className="sr-only">. {why}</span>}
    </button>
  );
}

/** A form is not sent either: Enter in one of its fields is a click on its button. */
function prevent(event: MouseEvent): void {
  event.preventDefault();
}

function dress(look: Look | undefined, size: Size | undefined): Dress {
  return { ...(look !== undefined && { look }), ...(size !== undefined && { size }) };
}

/** Goes somewhere, looks like a button. */
export function ButtonLink({
  look,
  size,
  icon,
  children,
  className = '',
  ...link
}: Dress & LinkProps & { className?: string; children?: ReactNode }) {
  return (
    <Link className={`${classes(dress(look, size))} ${className}`} {...link}>
      {icon}
      {children}
    </Link>
  );
}

/** A form without a word: `label` is what it does. */
export function IconButton({
  label,
  children,
  disabled = false,
  className = '',
  onClick,
  ...rest
}: { readonly label: string } & ComponentPropsWithRef<'button'>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-disabled={disabled || undefined}
      onClick={disabled ? prevent : onClick}
      className={`inline-grid size-7 flex-none place-items-center rounded-control text-ink-3 max-md:size-9 ${disabled ? 'opacity-45' : 'hover:bg-hover hover:text-ink'} ${className}`}
      {...rest}
    >
      {children}
    </button>
  );
}

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="ml-0.5 inline-block min-w-4.5 rounded-token border border-line bg-well px-1 text-center font-sans text-axis font-medium text-ink-3 max-md:hidden">
      {children}
    </kbd>
  );
}
