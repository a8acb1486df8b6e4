import { type Op, listsWithin } from '../compile/ops/ops.ts';
import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { isUrl } from './draw.ts';
import type { Evaluation } from './args.ts';
import { evaluate, holds, noted } from './evaluate.ts';
import { createProblems } from './problems.ts';
import { type Surrounding, createScope, listOf } from './scope.ts';

/** Walks the blocks as a merge would, and gathers the addresses that image tags ask for. */
export function collectImages(
  ops: readonly Op[],
  data: unknown,
  limits: Limits,
  dataLocale?: string,
): string[] {
  const wanted = new Set<string>();
  if (!hasImages(ops)) return [];
  const on: Evaluation = {
    scope: createScope(data),
    strict: false,
    locale: 'en-US',
    timeZone: 'UTC',
    dataLocale,
    // The merge reports what is wrong with the data; here an image that cannot be known is none.
    problems: createProblems(),
  };
  const notes: { note: string; around: Surrounding }[] = [];
  let turns = 0;
  const walk = (list: readonly Op[]): void => {
    for (const op of list) noted(on, () => enter(op));
  };
  const enter = (op: Op): void => {
    if (op.op === 'draw' && op.helper === 'image') {
      const source = op.call.args[0];
      const value = source && evaluate(source, on, undefined);
      if (isUrl(value)) wanted.add(value.trim());
    } else if (op.op === 'noteReference') {
      notes.push({ note: op.note, around: on.scope.surrounding() });
    } else if (op.op === 'note') {
      for (const { note, around } of notes) {
        if (note === op.note) on.scope.within(around, () => walk(op.body));
      }
    } else if (op.op === 'shell' || op.op === 'link') {
      walk(op.head);
      walk(op.body);
    } else if (op.op === 'if') {
      const chosen = op.branches.find(({ test }) => holds(test, on, op.place) !== op.negated);
      walk(chosen ? chosen.body : op.otherwise);
    } else if (op.op === 'each') {
      const items = listOf(evaluate(op.list, on, undefined)) ?? [];
      if (items.length === 0) walk(op.otherwise);
      else if (hasImages(op.body)) {
        turns += items.length;
        if (turns > limits.iterations) {
          throw new TemplateError(
            'too_many_iterations',
            `The loops of the template turn more than ${limits.iterations} times.`,
            op.place,
          );
        }
        items.forEach((item, index) => {
          on.scope.push(item, index, items.length);
          walk(op.body);
          on.scope.pop();
        });
      }
    }
  };
  walk(ops);
  return [...wanted];
}

/** Or refers to a note that may have some. The depth of blocks is bounded by compiling. */
export function hasImages(ops: readonly Op[]): boolean {
  return ops.some(
    (op) =>
      (op.op === 'draw' && op.helper === 'image') ||
      op.op === 'noteReference' ||
      listsWithin(op).some(hasImages),
  );
}
