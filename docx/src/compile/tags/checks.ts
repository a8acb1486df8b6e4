import { wrongPattern } from '../../helpers/date-pattern.ts';
import { isDateStyle } from '../../helpers/format.ts';
import { emuOf } from '../../helpers/picture.ts';
import { QR_LEVELS } from '../../helpers/qr.ts';
import type { PathExpression } from './path.ts';
import { TagSyntaxError } from './tag-error.ts';

/** An argument that a tag gives a helper. */
type Asked =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | PathExpression
  | { readonly kind: 'call' };

interface Call {
  readonly name: string;
  readonly args: readonly Asked[];
  readonly named: ReadonlyMap<string, Asked>;
}

/** Refuses what a tag itself says wrongly, whatever the data. What comes from the data is checked by the merge. */
export function checkCall({ name, args, named }: Call): void {
  if (name === 'date') for (const asked of [args[1], named.get('style')]) checkDate(asked);
  if (name === 'image' || name === 'qr')
    for (const option of SIZES) checkLength(option, named.get(option));
  if (name === 'qr') checkLevel(named.get('level'));
}

/** The options that are a length. */
export const SIZES: readonly string[] = ['width', 'height', 'size'];

function checkDate(asked: Asked | undefined): void {
  if (asked?.kind !== 'literal' || asked.value === null) return;
  const pattern = String(asked.value);
  const wrong = isDateStyle(pattern) || pattern === 'none' ? undefined : wrongPattern(pattern);
  if (wrong !== undefined) throw refused(wrong);
}

/** A bare word is a field that holds the length; no field begins with a digit as 4em does. */
function checkLength(option: string, asked: Asked | undefined): void {
  if (asked === undefined || asked.kind === 'call') return;
  const text = asked.kind === 'path' ? asked.text : String(asked.value);
  const isLength =
    asked.kind === 'path' ? !/^[-+.]?\d/.test(text) : emuOf(asked.value) !== undefined;
  if (!isLength)
    throw refused(
      `${option}=${text} is no length. Write it in cm, mm, in, pt or px: ${option}=4cm.`,
    );
}

function checkLevel(asked: Asked | undefined): void {
  if (asked === undefined || asked.kind === 'call') return;
  const text = asked.kind === 'path' ? asked.text : String(asked.value);
  if (!QR_LEVELS.includes(text))
    throw refused(`level=${text} is none of ${QR_LEVELS.join(', ')}. Write level=H.`);
}

function refused(message: string): TagSyntaxError {
  return new TagSyntaxError(message, 'bad_tag', true);
}
