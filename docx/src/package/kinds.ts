/**
 * How a part is read, whatever its name and its stated type say: `xml` is cleaned, `data` is XML whose names mean
 * nothing to an office, a `picture` is what its bytes are, `bytes` are copied.
 */
export type Reading = 'xml' | 'data' | 'picture' | 'bytes';

export interface Kind {
  readonly reading: Reading;
  /** The types that such a part may state. The first is written for one that states another. */
  readonly types: readonly string[];
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const WORD = `${OFFICE}.wordprocessingml`;
const DRAWING = `${OFFICE}.drawingml`;

export const DOCUMENT_TYPE = `${WORD}.document.main+xml`;

function xml(...types: readonly string[]): Kind {
  return { reading: 'xml', types };
}

/** Every kind of part that a document may have, by the last word of the relationship that leads to it. */
const KINDS: Readonly<Record<string, Kind>> = {
  officeDocument: xml(DOCUMENT_TYPE),
  styles: xml(`${WORD}.styles+xml`),
  stylesWithEffects: xml('application/vnd.ms-word.stylesWithEffects+xml'),
  settings: xml(`${WORD}.settings+xml`),
  webSettings: xml(`${WORD}.webSettings+xml`),
  fontTable: xml(`${WORD}.fontTable+xml`),
  numbering: xml(`${WORD}.numbering+xml`),
  header: xml(`${WORD}.header+xml`),
  footer: xml(`${WORD}.footer+xml`),
  footnotes: xml(`${WORD}.footnotes+xml`),
  endnotes: xml(`${WORD}.endnotes+xml`),
  glossaryDocument: xml(`${WORD}.document.glossary+xml`),
  theme: xml(`${OFFICE}.theme+xml`),
  themeOverride: xml(`${OFFICE}.themeOverride+xml`),
  chart: xml(`${DRAWING}.chart+xml`),
  chartUserShapes: xml(`${DRAWING}.chartshapes+xml`),
  chartEx: xml('application/vnd.ms-office.chartex+xml'),
  chartStyle: xml('application/vnd.ms-office.chartstyle+xml'),
  chartColorStyle: xml('application/vnd.ms-office.chartcolorstyle+xml'),
  diagramData: xml(`${DRAWING}.diagramData+xml`),
  diagramLayout: xml(`${DRAWING}.diagramLayout+xml`),
  diagramQuickStyle: xml(`${DRAWING}.diagramStyle+xml`),
  diagramColors: xml(`${DRAWING}.diagramColors+xml`),
  diagramDrawing: xml('application/vnd.ms-office.drawingml.diagramDrawing+xml'),
  'core-properties': xml('application/vnd.openxmlformats-package.core-properties+xml'),
  'extended-properties': xml(`${OFFICE}.extended-properties+xml`),
  extendedProperties: xml(`${OFFICE}.extended-properties+xml`),
  'custom-properties': xml(`${OFFICE}.custom-properties+xml`),
  customProperties: xml(`${OFFICE}.custom-properties+xml`),
  classificationlabels: {
    reading: 'data',
    types: ['application/vnd.ms-office.classificationlabels+xml'],
  },
  customXml: { reading: 'data', types: ['application/xml', 'application/inkml+xml'] },
  customXmlProps: { reading: 'data', types: [`${OFFICE}.customXmlProperties+xml`] },
  image: { reading: 'picture', types: [] },
  hdphoto: { reading: 'picture', types: [] },
  font: {
    reading: 'bytes',
    types: [`${OFFICE}.obfuscatedFont`, 'application/x-fontdata', 'application/x-font-ttf'],
  },
  package: { reading: 'bytes', types: [`${OFFICE}.spreadsheetml.sheet`] },
};

/** The parts that the root of a file may lead to. The last two names are those of the ISO strict form. */
const OF_THE_ROOT = new Set(
  (
    'officeDocument core-properties extended-properties custom-properties classificationlabels ' +
    'extendedProperties customProperties'
  ).split(' '),
);

export function partKind(kind: string, source: string): Kind | undefined {
  if (OF_THE_ROOT.has(kind) !== (source === '')) return undefined;
  // A chart's own workbook is read by Word alone and only when someone edits the chart.
  if (kind === 'package' && !source.includes('charts/')) return undefined;
  return Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
}

/**
 * Left out without a word, since no document misses them: what the authors of a template wrote to each other, and
 * what their own programs and printers keep.
 */
const SILENT = new Set(
  (
    'comments commentsExtended commentsIds commentsExtensible people documenttasks ' +
    'thumbnail printerSettings intelligence'
  ).split(' '),
);

export function isLeftOutSilently(kind: string): boolean {
  return SILENT.has(kind);
}

/**
 * The kind of part that each reference must lead to. A link used as a picture would be fetched by the office, so a
 * reference that stands in no row leads nowhere.
 */
const REFERENCES = new Map(
  Object.entries({
    image:
      'a:blip r:embed, asvg:svgBlip r:embed, v:imagedata r:id, v:imagedata o:relid, v:fill r:id, ' +
      'v:fill o:relid, v:stroke r:id, v:stroke o:relid, dgm:shape r:blip',
    hdphoto: 'a14:imgLayer r:embed',
    hyperlink: 'w:hyperlink r:id, a:hlinkClick r:id, a:hlinkHover r:id, a:hlinkMouseOver r:id',
    header: 'w:headerReference r:id',
    footer: 'w:footerReference r:id',
    chart: 'c:chart r:id',
    chartEx: 'cx:chart r:id',
    chartUserShapes: 'c:userShapes r:id',
    package: 'c:externalData r:id, cx:externalData r:id',
    diagramData: 'dgm:relIds r:dm',
    diagramLayout: 'dgm:relIds r:lo',
    diagramQuickStyle: 'dgm:relIds r:qs',
    diagramColors: 'dgm:relIds r:cs',
    font: 'w:embedRegular r:id, w:embedBold r:id, w:embedItalic r:id, w:embedBoldItalic r:id',
    customXml: 'w14:contentPart r:id',
  }).flatMap(([kind, references]) =>
    references.split(', ').map((reference) => [reference, kind] as const),
  ),
);

/** The kind that an attribute of an element may refer to. */
export function referredKind(element: string, attribute: string): string | undefined {
  return REFERENCES.get(`${element} ${attribute}`);
}
