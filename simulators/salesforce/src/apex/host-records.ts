import { atOnce } from '../data/locking.ts';
import type { Work } from '../data/work.ts';
import type { Org } from '../org.ts';
import type { SObject } from '../schema/types.ts';
import type { HostRecords } from './apex-run.ts';

/** The custom permission of the service's user. */
const INTEGRATION = 'Docgen_Integration';

/** A transaction of the org for the package's Apex: the same records, locks, checks and rollbacks as for everybody. */
export function hostRecords(org: Org, work: Work): HostRecords {
  const { tx } = work;
  // What Apex writes has been through the triggers already, all records at once.
  const own: Work = { ...work, writer: 'apex' };
  const steps = org.dml.steps;
  const objectOf = (name: string): SObject => org.schema.require(org.name(name));
  return {
    userId: work.userId,
    now: org.clock.now,
    rows: (name) => tx.rows(objectOf(name)),
    byId(_, id) {
      const row = tx.get(id);
      return row === undefined || row['IsDeleted'] === true ? undefined : row;
    },
    lock(id) {
      org.asides.shift()?.();
      tx.lockAtOnce(id);
    },
    insert: (name, values) => atOnce(tx, steps.insert(own, objectOf(name), values)),
    update: (name, id, values) => atOnce(tx, steps.update(own, objectOf(name), id, values)),
    remove: (name, id) => atOnce(tx, steps.remove(own, objectOf(name), id)),
    mark: tx.mark,
    rollbackTo: tx.rollbackTo,
    hasPermission(name) {
      const username = org.database.get(work.userId)?.['Username'];
      const user = org.settings.users.find((each) => each.username === username);
      return name === INTEGRATION && (user?.integration ?? true);
    },
  };
}
