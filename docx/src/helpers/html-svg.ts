export interface HtmlPicture {
  readonly source: string;
  readonly alt: string;
  readonly width: string;
  readonly height: string;
}

/**
 * An SVG that stands in a page of HTML, written again as the XML that it has to be in a file: attributes in quotes, every element
 * closed, namespaces declared. Names are those of the HTML standard's tables, since HTML does not tell `viewbox` from `viewBox`.
 */
export interface SvgWriter {
  /** False where the SVG ends before it: in a browser, no paragraph stands in a drawing. */
  open(name: string, attributes: ReadonlyMap<string, string>, isClosed: boolean): boolean;
  text(text: string): void;
  /** True when it was the end of the SVG itself. */
  close(name: string): boolean;
  /** Null where nothing of it would be seen. */
  picture(): HtmlPicture | null;
}

const MIXED_CASE = new Map(
  (
    'altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix ' +
    'feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood ' +
    'feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight ' +
    'feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient radialGradient textPath ' +
    'attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant edgeMode filterUnits ' +
    'gradientTransform gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines keyTimes lengthAdjust limitingConeAngle ' +
    'markerHeight markerUnits markerWidth maskContentUnits maskUnits numOctaves pathLength patternContentUnits patternTransform ' +
    'patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits refX refY repeatCount repeatDur ' +
    'requiredExtensions requiredFeatures specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles ' +
    'surfaceScale systemLanguage tableValues targetX targetY textLength viewBox viewTarget xChannelSelector yChannelSelector zoomAndPan'
  )
    .split(' ')
    .map((name) => [name.toLowerCase(), name]),
);

const SHAPES = /^(?:path|rect|circle|ellipse|line|polyline|polygon|text|image|use)$/;
/** The HTML standard's list of what ends a drawing that nobody closed, and of what holds HTML in one. */
const ENDS =
  /^(?:b|big|blockquote|body|br|center|code|dd|div|dl|dt|em|embed|h[1-6]|head|hr|i|img|li|listing|menu|meta|nobr|ol|p|pre|ruby|s|small|span|strong|strike|sub|sup|table|tt|u|ul|var)$/;
const HOLDS_HTML = ['foreignobject', 'desc', 'title'];
const NAME = /^[a-z_][\w.-]*$/;
const ATTRIBUTE = /^(?:xlink:|xml:)?[a-z_][\w.-]*$/;
const ROOT = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

export function svgWriter(root: ReadonlyMap<string, string>): SvgWriter {
  const xml = [`<svg ${ROOT}${written(root)}>`];
  const open = ['svg'];
  /** How often each name is open: nobody searches the whole depth for what is not there. */
  const opened = new Map([['svg', 1]]);
  const isIn = (name: string) => (opened.get(name) ?? 0) > 0;
  let isDrawn = false;
  let title = '';
  return {
    open(name, attributes, isClosed) {
      if (ENDS.test(name) && !HOLDS_HTML.some(isIn)) return false;
      if (!NAME.test(name)) return true;
      isDrawn ||= SHAPES.test(name);
      xml.push(`<${cased(name)}${written(attributes)}${isClosed ? '/>' : '>'}`);
      if (!isClosed) {
        open.push(name);
        opened.set(name, (opened.get(name) ?? 0) + 1);
      }
      return true;
    },
    text(text) {
      if (open.length === 2 && open[1] === 'title') title += text;
      xml.push(escaped(text));
    },
    close(name) {
      if (!isIn(name)) return false;
      for (const each of open.splice(open.lastIndexOf(name)).toReversed()) {
        xml.push(`</${cased(each)}>`);
        opened.set(each, (opened.get(each) ?? 1) - 1);
      }
      return open.length === 0;
    },
    picture() {
      if (!isDrawn || isHidden(root)) return null;
      for (const each of open.splice(0).toReversed()) xml.push(`</${cased(each)}>`);
      const source = `data:image/svg+xml;base64,${Buffer.from(xml.join('')).toString('base64')}`;
      const alt = (root.get('aria-label') ?? title).trim();
      return { source, alt, width: '', height: '' };
    },
  };
}

/** Sprites, whose parts other pictures use, and what scripts would show. */
function isHidden(root: ReadonlyMap<string, string>): boolean {
  const isNothing = (name: string) =>
    /^0+(?:\.0*)?\s*[a-z%]*$/i.test((root.get(name) ?? '').trim());
  const style = root.get('style') ?? '';
  return isNothing('width') || isNothing('height') || /display\s*:\s*none/i.test(style);
}

function cased(name: string): string {
  return MIXED_CASE.get(name) ?? name;
}

function written(attributes: ReadonlyMap<string, string>): string {
  let all = '';
  for (const [name, value] of attributes)
    if (ATTRIBUTE.test(name) && name !== 'xmlns')
      all += ` ${cased(name)}="${escaped(value).replaceAll('"', '&quot;')}"`;
  return all;
}

/** Characters that XML does not have are left out. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
