import { hasContent } from './changes.ts';
import { type Node, childNamed, element, mapChildren, withChildren } from './tree.ts';

/** Elements that hold paragraphs and tables. */
const CONTAINER = /^w:(?:body|tc|txbxContent|hdr|ftr|footnote|endnote)$/;
/** Elements around some of the paragraphs of a container. */
const WRAPPER = /^w:(?:sdt|sdtContent|customXml)$/;
const WRAPPER_PROPERTIES = /^w:(?:sdtPr|sdtEndPr|customXmlPr)$/;
const RANGE = /^w:(?:bookmark|perm)(?:Start|End)$/;

/** Content that is to be joined with the next paragraph. It grows: copied, 60,000 paragraphs would take a minute. */
interface Carried {
  readonly paragraph: Node;
  readonly properties: Node | undefined;
  readonly content: Node[];
}

interface Walk {
  carried: Carried | undefined;
}

/**
 * A paragraph whose mark was deleted is joined with the next one. The mark holds a paragraph's properties, so the
 * joined one has those of the last: that is what ECMA-376 (17.13.5.15, "combined with the following paragraph") says and
 * what Word gives; LibreOffice 7.4 gives the same text with the properties of the first. A section break in a deleted
 * mark goes with it. The last mark of a cell, a text box or a note cannot be deleted, nor can text be joined with a
 * table: there the paragraph stays when there is something in it.
 */
export function joinParagraphs(node: Node): Node {
  if (node.kind === 'text' || node.children.length === 0) {
    return CONTAINER.test(node.name) ? ended(node, []) : node;
  }
  if (!CONTAINER.test(node.name)) return withChildren(node, mapChildren(node, joinParagraphs));
  const walk: Walk = { carried: undefined };
  const children = joined(node.children, walk);
  const last = children.at(-1);
  const section = last?.name === 'w:sectPr' ? [last] : [];
  const blocks = section.length > 0 ? children.slice(0, -1) : children;
  const needed = node.name !== 'w:body' || !blocks.some(isBlock);
  return ended(node, [...blocks, ...released(walk, needed), ...section]);
}

function joined(children: readonly Node[], walk: Walk): Node[] {
  const found: Node[] = [];
  for (const child of children) {
    if (child.name === 'w:p') {
      const joining = takenUp(joinParagraphs(child), walk);
      if (joining) found.push(joining);
    } else if (WRAPPER.test(child.name)) {
      const inner = joined(child.children, walk);
      const kept = inner.some(({ name }) => !WRAPPER_PROPERTIES.test(name));
      if (kept || child.children.length === 0) found.push(withChildren(child, inner));
    } else if (WRAPPER_PROPERTIES.test(child.name) || child.name === 'w:sectPr') found.push(child);
    else if (walk.carried && !isBlock(child)) walk.carried.content.push(child);
    else {
      for (const each of released(walk, false)) found.push(each);
      found.push(joinParagraphs(child));
    }
  }
  return found;
}

/** The paragraph with what was carried to it, or undefined when it is carried on itself. */
function takenUp(paragraph: Node, walk: Walk): Node | undefined {
  const properties = childNamed(paragraph, 'w:pPr');
  const isDeleted = isMarkDeleted(properties);
  if (!walk.carried && !isDeleted) return paragraph;
  const content = walk.carried?.content ?? [];
  for (const each of paragraph.children) if (each !== properties) content.push(each);
  if (isDeleted) {
    walk.carried = { paragraph, properties: properties && unmarked(properties), content };
    return undefined;
  }
  walk.carried = undefined;
  return withChildren(paragraph, properties ? [properties, ...content] : content);
}

/** Content that was carried and finds no paragraph to be joined with. */
function released(walk: Walk, needed: boolean): readonly Node[] {
  const { carried } = walk;
  walk.carried = undefined;
  if (!carried) return [];
  const { paragraph, properties, content } = carried;
  if (!needed && !content.some(hasContent)) return content.filter(({ name }) => RANGE.test(name));
  return [withChildren(paragraph, properties ? [properties, ...content] : content)];
}

function isBlock({ name }: Node): boolean {
  return name === 'w:p' || name === 'w:tbl' || WRAPPER.test(name) || name.startsWith('m:');
}

function isMarkDeleted(properties: Node | undefined): boolean {
  const mark = childNamed(properties, 'w:rPr');
  return childNamed(mark, 'w:del') !== undefined || childNamed(mark, 'w:moveFrom') !== undefined;
}

function unmarked(properties: Node): Node {
  return withChildren(
    properties,
    properties.children.map((child) =>
      child.name === 'w:rPr'
        ? withChildren(
            child,
            child.children.filter(({ name }) => name !== 'w:del' && name !== 'w:moveFrom'),
          )
        : child,
    ),
  );
}

/** A cell ends with a paragraph, and nothing that holds paragraphs is without one. */
function ended(container: Node, children: readonly Node[]): Node {
  const last = children.findLast(isBlock);
  const short = container.name === 'w:tc' ? last?.name === 'w:tbl' : false;
  const complete = (last && !short) || container.name === 'w:body';
  return withChildren(container, complete ? children : [...children, element('w:p', [])]);
}
