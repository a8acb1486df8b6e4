import { type Node, childNamed, element, mapChildren, withChildren } from './tree.ts';

/** Elements that are removed with their content when changes are accepted. */
const REMOVED = new Set(
  (
    'w:del w:moveFrom w:delText w:delInstrText w:rPrChange w:pPrChange w:sectPrChange w:tblPrChange ' +
    'w:trPrChange w:tcPrChange w:tblGridChange w:tblPrExChange w:numberingChange ' +
    'w:moveFromRangeStart w:moveFromRangeEnd w:moveToRangeStart w:moveToRangeEnd w:cellIns w:cellDel ' +
    'w:customXmlInsRangeStart w:customXmlInsRangeEnd w:customXmlDelRangeStart w:customXmlDelRangeEnd ' +
    'w:customXmlMoveFromRangeStart w:customXmlMoveFromRangeEnd ' +
    'w:customXmlMoveToRangeStart w:customXmlMoveToRangeEnd'
  ).split(' '),
);
const UNWRAPPED = new Set(['w:ins', 'w:moveTo']);

/**
 * Accepts all tracked changes, as Word does: what was inserted stays, what was deleted goes, and so do rows, cells
 * and tables that are left with nothing. A tag that was edited with tracking on is whole again afterwards. Only the
 * deleted paragraph marks are left, for `joinParagraphs`, which has to come after: in one step, a paragraph was judged
 * empty before its insertions were unwrapped, and vanished with its text (docs/decisions/0011-accepted-changes.md).
 */
export function acceptChanges(root: Node): Node {
  return [accepted(root)].flat()[0] ?? root;
}

/**
 * The node after its changes are accepted: none, itself, or its children in its place. Inner nodes first, so that an
 * outer one sees what is left.
 */
function accepted(node: Node): Node | readonly Node[] {
  if (node.kind === 'text') return node;
  if (REMOVED.has(node.name) || isDeleted(node)) return [];
  if (node.name === 'w:cellMerge') return mergedVertically(node);
  if (node.name === 'w:pPr') return withParagraphMark(node);
  const children = mapChildren(node, accepted);
  if (UNWRAPPED.has(node.name)) return children;
  if (isLeftEmpty(node, children)) return [];
  return withChildren(node, node.name === 'w:tcPr' ? inOrder(children) : children);
}

/** The properties of a paragraph, with the mark that says that its end was deleted or moved away. */
function withParagraphMark(properties: Node): Node {
  const isMark = ({ name }: Node) => name === 'w:del' || name === 'w:moveFrom';
  return withChildren(
    properties,
    mapChildren(properties, (child) =>
      child.name === 'w:rPr'
        ? withChildren(
            child,
            mapChildren(child, (each) => (isMark(each) ? each : accepted(each))),
          )
        : accepted(child),
    ),
  );
}

/** The element's own properties say that all of it was deleted. */
function isDeleted({ name, children }: Node): boolean {
  switch (name) {
    case 'w:tr':
      return isMarked(children, 'w:trPr', 'w:del');
    case 'w:tc':
      return isMarked(children, 'w:tcPr', 'w:cellDel');
    case 'm:r':
      return children.some((each) => each.name === 'w:del' || each.name === 'w:moveFrom');
    default:
      return false;
  }
}

function isMarked(children: readonly Node[], properties: string, mark: string): boolean {
  return children.some((each) => each.name === properties && childNamed(each, mark) !== undefined);
}

/** The deletions and moves took all that made it worth having. */
function isLeftEmpty(node: Node, left: readonly Node[]): boolean {
  switch (node.name) {
    case 'w:tbl':
      return !left.some(isRow) && !left.some((each) => holdsRow(each));
    case 'w:tr':
      if (node.children.some(isCell) && !left.some(isCell) && !left.some(isControl)) return true;
      return holdsMove(node) && !left.some(hasContent);
    case 'w:numPr':
      return left.length === 0;
    case 'w:sdt':
    case 'w:customXml':
      return isWrapperLeftEmpty(node, left);
    default:
      // A fraction or the like whose control character was deleted, once its parts are gone too.
      return isDeletedMath(node) && !left.some(hasContent);
  }
}

const isRow = ({ name }: Node) => name === 'w:tr';
const isCell = ({ name }: Node) => name === 'w:tc';
const isControl = ({ name }: Node) => name === 'w:sdt';

function isWrapperLeftEmpty(node: Node, left: readonly Node[]): boolean {
  const inside = (children: readonly Node[]) =>
    (children.find(({ name }) => name === 'w:sdtContent')?.children ?? children).filter(
      ({ name }) => !/^w:(?:sdtPr|sdtEndPr|customXmlPr)$/.test(name),
    );
  return inside(node.children).length > 0 && inside(left).length === 0;
}

function holdsRow(node: Node): boolean {
  return /^w:(?:sdt|sdtContent|customXml)$/.test(node.name)
    ? node.children.some(holdsRow)
    : node.name === 'w:tr';
}

function holdsMove({ name, children }: Node): boolean {
  return name === 'w:moveFrom' || children.some(holdsMove);
}

function isDeletedMath(node: Node): boolean {
  if (!node.name.startsWith('m:')) return false;
  const properties = node.children.find(({ name }) => name.endsWith('Pr'));
  return childNamed(childNamed(properties, 'm:ctrlPr'), 'w:del') !== undefined;
}

/** A reader would see something of it. */
export function hasContent({ name, children }: Node): boolean {
  if (/^[wm]:r$/.test(name)) return children.some((each) => !each.name.endsWith(':rPr'));
  return children.some(hasContent);
}

/** A tracked merge of cells becomes the merge itself. */
function mergedVertically({ raw }: Node): Node[] {
  const merge = /\sw:vMerge\s*=\s*["'](cont|rest)/.exec(raw)?.[1];
  if (merge === undefined) return [];
  return [element('w:vMerge', [], ` w:val="${merge === 'rest' ? 'restart' : 'continue'}"`)];
}

const BEFORE_MERGE = new Set(['w:cnfStyle', 'w:tcW', 'w:gridSpan', 'w:hMerge']);

/** `w:cellMerge` stands last among a cell's properties, `w:vMerge` must not. */
function inOrder(properties: readonly Node[]): readonly Node[] {
  const merges = properties.filter(({ name }) => name === 'w:vMerge');
  const merge = merges.at(-1);
  if (!merge || (merges.length === 1 && properties.at(-1) !== merge)) return properties;
  const rest = properties.filter(({ name }) => name !== 'w:vMerge');
  const at = rest.findLastIndex(({ name }) => BEFORE_MERGE.has(name)) + 1;
  return rest.toSpliced(at, 0, merge);
}
