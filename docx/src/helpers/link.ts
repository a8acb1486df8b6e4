/** An address that may stand behind a link, or undefined. Only web, mail and telephone. */
export function linkTarget(value: string): string | undefined {
  if (value.length > 2_000) return undefined;
  const text = value
    // oxlint-disable-next-line no-control-regex -- browsers ignore these inside "java\nscript:"
    .replace(/[\u0000-\u0020\u007f\u00a0]+/g, (space) => (space === ' ' ? '%20' : ''))
    .replace(/^(?:%20)+|(?:%20)+$/g, '');
  if (text === '') return undefined;
  if (/^(?:https?:\/\/[^/]|mailto:.|tel:.)/i.test(text)) return text;
  if (/^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(text)) return `mailto:${text}`;
  return /^(?:[\w-]+\.)+[a-z]{2,}(?:[/?#:]|$)/i.test(text) ? `https://${text}` : undefined;
}

/**
 * Links have Word's own style. LibreOffice 7.4 leaves a link without a character style out of the PDF, so a
 * template that lacks the style is given it.
 */
export const LINK_STYLE = 'Hyperlink';
export const LINK_LOOK: readonly [string, string][] = [
  ['w:rStyle', `<w:rStyle w:val="${LINK_STYLE}"/>`],
];
export const LINK_STYLE_XML =
  `<w:style w:type="character" w:styleId="${LINK_STYLE}"><w:name w:val="Hyperlink"/><w:uiPriority w:val="99"/>` +
  '<w:unhideWhenUsed/><w:rPr><w:color w:val="0563C1"/><w:u w:val="single"/></w:rPr></w:style>';

/** A run's properties with some of them set. Elements of the same name are replaced. */
export function withProperties(
  base: string,
  changes: readonly (readonly [string, string])[],
): string {
  let inner = /^<w:rPr>([^]*)<\/w:rPr>$/.exec(base)?.[1] ?? '';
  for (const [name] of changes) {
    inner = inner.replace(new RegExp(`<${name}(?:\\s[^>]*)?(?:/>|></${name}>)`, 'g'), '');
  }
  // The style comes first in a run's properties.
  for (const [name, xml] of changes) inner = name === 'w:rStyle' ? xml + inner : inner + xml;
  return inner === '' ? '' : `<w:rPr>${inner}</w:rPr>`;
}
