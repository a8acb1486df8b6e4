import type { Session, Statement } from '../database.ts';

const RAISE: Statement = {
  name: 'millrace_raise_epoch',
  text: `SELECT millrace.raise_epoch()`,
};

/** Brings the sequence of epochs up to the clock: see `millrace.raise_epoch` in 003-leases.sql. */
export async function raiseEpoch(session: Session): Promise<void> {
  await session.query(RAISE, []);
}
