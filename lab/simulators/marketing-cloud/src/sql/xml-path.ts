import { QueryError } from './run-sql.ts';
import {
  type Json,
  type Tree,
  SUBQUERY,
  call,
  inside,
  isTree,
  literalText,
  nameIn,
  quoted,
  text,
  textIn,
  treesIn,
  untranslated,
} from './syntax.ts';

/**
 * `SELECT … FOR XML PATH('')` in place of a value is how texts of rows were joined before STRING_AGG: here it is STRING_AGG, over what the
 * query gives. Without TYPE the text is that of XML, with `&amp;`.
 */
export function joinedByXml(select: Tree): { select: Tree; join(rows: Tree): Tree } | null {
  const options = treesIn(select['for_xml']).map((each) => inside(each, 'query_option') ?? {});
  if (options.length === 0) return null;
  const words = options.map(({ this: word }) => textIn(inside(word, 'var') ?? null, 'this') ?? '');
  const path = literalText(options[0]?.['expression']);
  const isKnown = words[0]?.toUpperCase() === 'PATH' && path === '';
  if (!isKnown || words.slice(1).some((word) => word.toUpperCase() !== 'TYPE'))
    throw untranslated("FOR XML other than PATH('')");
  const [value, ...others] = treesIn(select['expressions']);
  if (value === undefined || others.length > 0)
    throw untranslated("FOR XML PATH('') of several columns");
  // A column that has a name would become an element of that name, with its tags.
  if (inside(value, 'alias') !== null || nameIn(inside(value, 'column')?.['name']) !== null)
    throw new QueryError(
      "FOR XML PATH('') of a column with a name writes tags, which this simulator does not: use an expression, such as ',' + Name.",
    );
  const alias = { this: value, alias: quoted('joined'), column_aliases: [] };
  const named: Tree = {
    alias: { ...alias, alias_explicit_as: true, pre_alias_comments: [], trailing_comments: [] },
  };
  const isTyped = words.length > 1;
  return {
    select: { ...select, for_xml: [], expressions: [named] },
    join: (rows) => joined(rows, isTyped),
  };
}

function joined(rows: Tree, isTyped: boolean): Tree {
  const column = { name: quoted('joined'), table: null, join_mark: false, trailing_comments: [] };
  const value = call('mc_text', { column });
  const aggregate = call('string_agg', isTyped ? value : call('mc_xml', value), text(''));
  return {
    select: {
      ...emptied(inside(rows, 'select') ?? {}),
      expressions: [aggregate],
      from: { expressions: [{ subquery: { ...SUBQUERY, this: rows, alias: quoted('rows') } }] },
    },
  };
}

/** `.value('.', 'nvarchar(max)')` behind it gives the text as it is. */
export function xmlValue(node: Tree): Json {
  const isValue = nameIn(node['method'])?.toLowerCase() === 'value';
  const query = inside(inside(node['this'], 'subquery')?.['this'], 'select');
  if (!isValue || !isTree(query) || treesIn(query['for_xml']).length === 0)
    throw untranslated('A method');
  return node['this'] ?? null;
}

/** A SELECT without anything in it. */
function emptied(select: Tree): Tree {
  const entries = Object.entries(select).map(([name, value]) => {
    const empty = Array.isArray(value) ? [] : value === true ? false : value;
    return [name, isTree(empty) || typeof empty === 'string' ? null : empty] as const;
  });
  return Object.fromEntries(entries);
}
