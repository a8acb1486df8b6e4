/** The names of HTML that rich text from a web form uses. */
function pairs(text: string): Map<string, string> {
  return new Map(
    text.split(/\s+/).map((pair): [string, string] => {
      const colon = pair.indexOf(':');
      return [pair.slice(0, colon), pair.slice(colon + 1)];
    }),
  );
}

export const COLORS: ReadonlyMap<string, string> = pairs(
  'black:000000 white:FFFFFF red:FF0000 green:008000 blue:0000FF gray:808080 grey:808080 ' +
    'orange:FFA500 purple:800080 yellow:FFFF00 navy:000080 maroon:800000',
);

const ENTITIES: ReadonlyMap<string, string> = pairs(
  `amp:& lt:< gt:> quot:" apos:' euro:€ copy:© reg:® ndash:– mdash:— hellip:… bull:• middot:· trade:™ ` +
    'deg:° pound:£ lsquo:‘ rsquo:’ ldquo:“ rdquo:” sbquo:‚ bdquo:„ laquo:« raquo:» auml:ä ouml:ö ' +
    'uuml:ü Auml:Ä Ouml:Ö Uuml:Ü szlig:ß eacute:é egrave:è agrave:à ccedil:ç ntilde:ñ sect:§ ' +
    'times:× frac12:½',
).set('nbsp', '\u00a0');

export function decodeHtml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES.get(name) ?? whole;
      const code = decimal === undefined ? parseInt(hex ?? '0', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}
