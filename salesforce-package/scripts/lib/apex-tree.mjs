// Apex files as parse trees, each parsed once for all checks: 40 files take some 10 s.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ApexErrorListener, ApexParser, ApexParserFactory } from '@apexdevtools/apex-parser';
import { filesBelow } from './project.mjs';

/**
 * @typedef {{ line: number, message: string }} Fault
 * @typedef {{ path: string, name: string, isTrigger: boolean, lines: string[], tree: Node, faults: Fault[] }} ApexFile
 * @typedef {{ rule: string, kind: string, line: number, text: string, children: Node[] }} Node a rule's, or a token's with rule ''
 */

class Listener extends ApexErrorListener {
  /** @type {Fault[]} */
  faults = [];

  /** @param {number} line @param {number} _column @param {string} message */
  apexSyntaxError(line, _column, message) {
    // Up to three hundred words may be expected.
    this.faults.push({ line, message: message.replace(/ expecting \{.{200,}\}$/s, '') });
  }
}

/** @param {string} folder @returns {ApexFile[]} */
export function parseFolder(folder) {
  return filesBelow(folder)
    .filter((path) => /\.(cls|trigger)$/.test(path))
    .map(parseFile);
}

/** @param {string} path @returns {ApexFile} */
export function parseFile(path) {
  const source = readFileSync(path, 'utf8');
  const isTrigger = path.endsWith('.trigger');
  const listener = new Listener();
  const { parser } = ApexParserFactory.createLexerAndParser(source, listener);
  const tree = isTrigger ? parser.triggerUnit() : parser.compilationUnit();
  return {
    path,
    name: basename(path).replace(/\.(cls|trigger)$/, ''),
    isTrigger,
    lines: source.split('\n'),
    tree: simplified(tree),
    faults: listener.faults,
  };
}

/** ANTLR's nodes know their parser and much more; the checks need four things. */
export function simplified(/** @type {any} */ node) {
  if (node.symbol !== undefined) {
    return { rule: '', kind: '', line: node.symbol.line, text: node.getText(), children: [] };
  }
  /** @type {Node[]} */
  const children = (node.children ?? []).map(simplified);
  /** @type {string | undefined} */
  let text;
  return {
    rule: ApexParser.ruleNames[node.ruleIndex] ?? '?',
    kind: node.constructor.name.replace(/Context$/, ''),
    line: node.start?.line ?? 0,
    get text() {
      return (text ??= children.map((child) => child.text).join(''));
    },
    children,
  };
}

/** @param {Node} node @returns {Generator<Node>} the node and all below, from top to bottom */
export function* nodesOf(node) {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}

/** @param {Node} node @param {...string} rules @returns {Node[]} */
export function findAll(node, ...rules) {
  return [...nodesOf(node)].filter(({ rule }) => rules.includes(rule));
}

/** @param {Node} node @param {string} rule */
export function childOf(node, rule) {
  return node.children.find((child) => child.rule === rule);
}
