import { type Xml, childOf, childrenOf, textOf } from '../soap/parse.ts';
import type { Soap } from '../soap/soap.ts';
import type { BusinessUnit, TaskStatus } from '../types.ts';

/** So many task ids in one question: about 2 kB of them, and an answer of some 100 kB. */
const MOST_AT_ONCE = 100;
const PROPERTIES = ['TaskID', 'Status', 'StatusMessage', 'ErrorMsg', 'StartDate', 'CompletedDate'];

export function createTasks(soap: Soap): Pick<BusinessUnit, 'taskStatuses'> {
  return {
    async taskStatuses(taskIds, options = {}) {
      const ids = [...new Set(taskIds)].filter((id) => id !== '');
      const parts = Array.from({ length: Math.ceil(ids.length / MOST_AT_ONCE) }, (_, part) =>
        ids.slice(part * MOST_AT_ONCE, (part + 1) * MOST_AT_ONCE),
      );
      const answers = await Promise.all(
        parts.map((values) =>
          soap.retrieve(
            {
              type: 'AsyncActivityStatus',
              properties: PROPERTIES,
              filter: {
                property: 'TaskID',
                operator: values.length === 1 ? 'equals' : 'IN',
                values,
              },
            },
            options,
          ),
        ),
      );
      const asked = new Set(ids);
      return answers
        .flat()
        .map(statusOf)
        .filter(({ taskId }) => asked.has(taskId));
    },
  };
}

/** An ObjectExtension: a list of names and values, where a value that is null is left out. XML may be laid out, so blanks around a value are not its own. */
function statusOf(xml: Xml): TaskStatus {
  const properties = new Map(
    childrenOf(childOf(xml, 'Properties'), 'Property').map((each) => [
      textOf(each, 'Name')?.trim() ?? '',
      textOf(each, 'Value'),
    ]),
  );
  const valueOf = (name: string): string | null => properties.get(name)?.trim() || null;
  return {
    taskId: valueOf('TaskID') ?? '',
    status: valueOf('Status'),
    statusMessage: valueOf('StatusMessage'),
    errorMsg: valueOf('ErrorMsg'),
    startDate: valueOf('StartDate'),
    completedDate: valueOf('CompletedDate'),
  };
}
