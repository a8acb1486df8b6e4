/** A graph in stages: whatever waits for others stands to the right of all of them. Pure, so that it is tested. */
export interface StageNode {
  readonly id: string;
  readonly after: readonly string[];
}

/** The ids by stage, each stage in the order given. A circle, which the service refuses, ends in the last stage instead of hanging. */
export function stagesOf(nodes: readonly StageNode[]): string[][] {
  const left = new Map(nodes.map((node) => [node.id, node]));
  const stages: string[][] = [];
  while (left.size > 0) {
    const ready = [...left.values()].filter(({ after }) => after.every((id) => !left.has(id)));
    const stage = (ready.length > 0 ? ready : [...left.values()]).map(({ id }) => id);
    stages.push(stage);
    for (const id of stage) left.delete(id);
  }
  return stages;
}
