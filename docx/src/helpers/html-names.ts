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
