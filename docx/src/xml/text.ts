const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** XML's own five names and numbers. The tokenizer has refused every other entity. */
export function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[0-9a-fA-F]+|#[0-9]+|[a-z]+);/g, (whole, body: string) => {
    if (!body.startsWith('#')) return NAMED[body] ?? whole;
    const code = body[1] === 'x' ? parseInt(body.slice(2), 16) : Number(body.slice(1));
    return isXmlCharacter(code) ? String.fromCodePoint(code) : '';
  });
}

function isXmlCharacter(code: number): boolean {
  return (
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  );
}

// oxlint-disable-next-line no-control-regex -- these are the characters that XML cannot hold
export const ILLEGAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const ILLEGAL_ALL = new RegExp(ILLEGAL, 'g');

/** For the text of an element. What XML cannot hold is left out. */
export function escapeText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the same, and what must be escaped
  if (!/[&<>\u0000-\u001f\ud800-\udfff\ufffe\uffff]/.test(text)) return text;
  return text
    .replace(ILLEGAL_ALL, '')
    .toWellFormed()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** For an attribute between double quotes. */
export function escapeAttribute(text: string): string {
  return escapeText(text)
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;');
}
