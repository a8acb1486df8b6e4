// Classes as the interpreter needs them: names in lower case, because Apex does not tell upper from lower.

import { childOf, findAll } from '../lib/apex-tree.mjs';

/**
 * @typedef {import('../lib/apex-tree.mjs').Node} Node
 * @typedef {import('../lib/apex-tree.mjs').ApexFile} ApexFile
 * @typedef {{ name: string, type: string }} Parameter
 * @typedef {{ name: string, cls: Class, isStatic: boolean, parameters: Parameter[], type: string, body: Node | undefined, annotations: string[], line: number }} Method
 * @typedef {{ name: string, type: string, init: Node | undefined }} Variable
 * @typedef {object} Class
 * @property {string} name as written, with its outer class: DocgenQueue.Lease
 * @property {Class | undefined} outer
 * @property {string} superName in lower case, '' if none
 * @property {string[]} interfaces in lower case
 * @property {'with' | 'without' | ''} sharing
 * @property {boolean} isTest
 * @property {Variable[]} fields
 * @property {Variable[]} statics
 * @property {Map<string, unknown> | undefined} values of the statics, once someone has asked
 * @property {Map<string, Method[]>} methods
 * @property {Method[]} constructors
 * @property {Map<string, Class>} inner
 */

/** @param {ApexFile[]} files @returns {Map<string, Class>} */
export function loadClasses(files) {
  const classes = files
    .filter(({ isTrigger }) => !isTrigger)
    .map(({ tree }) => {
      const declaration = tree.children[0];
      const body = declaration && childOf(declaration, 'classDeclaration');
      if (declaration === undefined || body === undefined)
        throw new Error('Only classes can be run.');
      return classOf(body, modifiersOf(declaration), undefined);
    });
  return new Map(classes.map((cls) => [cls.name.toLowerCase(), cls]));
}

/** @param {Node} declaration @param {string[]} modifiers @param {Class | undefined} outer @returns {Class} */
function classOf(declaration, modifiers, outer) {
  const ownName = childOf(declaration, 'id')?.text ?? '';
  /** @type {Class} */
  const cls = {
    name: outer === undefined ? ownName : `${outer.name}.${ownName}`,
    outer,
    superName: (childOf(declaration, 'typeRef')?.text ?? '').toLowerCase(),
    interfaces: findAll(childOf(declaration, 'typeList') ?? emptyNode, 'typeRef').map(({ text }) =>
      text.toLowerCase(),
    ),
    sharing: modifiers.includes('withsharing')
      ? 'with'
      : modifiers.includes('withoutsharing')
        ? 'without'
        : '',
    isTest: modifiers.some((modifier) => modifier.startsWith('@istest')) || outer?.isTest === true,
    fields: [],
    statics: [],
    values: undefined,
    methods: new Map(),
    constructors: [],
    inner: new Map(),
  };
  for (const member of childOf(declaration, 'classBody')?.children ?? []) {
    const declared = childOf(member, 'memberDeclaration')?.children[0];
    if (declared !== undefined) addMember(cls, declared, modifiersOf(member));
  }
  return cls;
}

/** @type {Node} */
const emptyNode = { rule: '', kind: '', line: 0, text: '', children: [] };

/** @param {Class} cls @param {Node} member @param {string[]} modifiers */
function addMember(cls, member, modifiers) {
  const isStatic = modifiers.includes('static');
  const type = typeText(childOf(member, 'typeRef'));
  const name = (childOf(member, 'id')?.text ?? '').toLowerCase();
  const variables = isStatic ? cls.statics : cls.fields;
  switch (member.rule) {
    case 'fieldDeclaration':
      for (const each of findAll(
        childOf(member, 'variableDeclarators') ?? emptyNode,
        'variableDeclarator',
      ))
        variables.push({
          name: (childOf(each, 'id')?.text ?? '').toLowerCase(),
          type,
          init: childOf(each, 'expression'),
        });
      break;
    case 'propertyDeclaration':
      variables.push({ name, type, init: undefined });
      break;
    case 'methodDeclaration':
    case 'constructorDeclaration': {
      const method = {
        name: childOf(member, 'id')?.text ?? cls.name,
        cls,
        isStatic,
        parameters: parametersOf(member),
        type,
        body: childOf(member, 'block'),
        annotations: modifiers.filter((modifier) => modifier.startsWith('@')),
        line: member.line,
      };
      if (member.rule === 'constructorDeclaration') cls.constructors.push(method);
      else cls.methods.set(name, [...(cls.methods.get(name) ?? []), method]);
      break;
    }
    case 'classDeclaration':
      cls.inner.set(name, classOf(member, modifiers, cls));
      break;
    default:
      throw new Error(`${cls.name}: ${member.rule} cannot be run.`);
  }
}

/** @param {Node} method @returns {Parameter[]} */
function parametersOf(method) {
  return findAll(childOf(method, 'formalParameters') ?? emptyNode, 'formalParameter').map(
    (parameter) => ({
      name: (childOf(parameter, 'id')?.text ?? '').toLowerCase(),
      type: typeText(childOf(parameter, 'typeRef')),
    }),
  );
}

/** @param {Node} declaration */
function modifiersOf(declaration) {
  return declaration.children
    .filter(({ rule }) => rule === 'modifier' || rule === 'annotation')
    .map(({ text }) => text.toLowerCase());
}

/** `Map<String, Object>` as map<string,object>. @param {Node | undefined} node */
export function typeText(node) {
  return (node?.text ?? 'void').toLowerCase();
}
