/** As much XML as metadata files have: elements, text, entities. Attributes are read over. */
export interface Element {
  readonly name: string;
  readonly children: readonly Element[];
  readonly text: string;
}

const TAG = /<(?:!--[\s\S]*?--|\?[\s\S]*?\?|(\/?)([\w:.-]+)([^<>]*?)(\/?))>/g;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

interface Open {
  readonly name: string;
  readonly children: Element[];
  text: string;
}

/** Throws a plain error that says where the text stops being XML. */
export function parseXml(source: string): Element {
  const root: Open = { name: '', children: [], text: '' };
  const path: Open[] = [root];
  let last = 0;
  for (const match of source.matchAll(TAG)) {
    const top = path.at(-1) ?? root;
    top.text += decoded(source.slice(last, match.index));
    last = match.index + match[0].length;
    const [, closing, name, , selfClosing] = match;
    if (name === undefined) continue; // a comment or the declaration
    if (closing === '/') {
      if (top.name !== name) throw new Error(`</${name}> closes <${top.name}> at ${match.index}.`);
      path.pop();
      path.at(-1)?.children.push({ name, children: top.children, text: top.text.trim() });
    } else if (selfClosing === '/') top.children.push({ name, children: [], text: '' });
    else path.push({ name, children: [], text: '' });
  }
  const first = root.children[0];
  if (path.length > 1) throw new Error(`<${path.at(-1)?.name ?? ''}> is never closed.`);
  if (first === undefined || root.children.length > 1) throw new Error('There is no one element.');
  if (root.text.trim() + source.slice(last).trim() !== '') throw new Error('There is loose text.');
  return first;
}

function decoded(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(String(hex), 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[String(name)] ?? whole;
  });
}

export function child(element: Element, name: string): Element | undefined {
  return element.children.find((each) => each.name === name);
}

export function textOf(element: Element, name: string): string | undefined {
  return child(element, name)?.text;
}
