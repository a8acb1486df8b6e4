import type { ClosedGate, GateArrival, JobId, NewJob, OpenGate } from '@millrace/engine';
import { type Transaction, keyOf } from './data.ts';

/**
 * A parent arrives at its gate; the last one to come opens it and gets the child back. The gate is gone
 * then: whoever arrives next begins a new round.
 */
export function arrive(
  tx: Transaction,
  gate: GateArrival,
  parent: JobId,
  child: NewJob,
): NewJob | null {
  const place = keyOf(gate.rule, gate.key);
  const open = tx.data.gates.get(place);
  // Its time is over, though nobody has closed it yet: whoever comes late begins another.
  const waiting = open === undefined || open.expiresAt < tx.now ? undefined : open;
  const arrived = { ...waiting?.arrived, [gate.slot]: parent };
  if (gate.slots.every((slot) => Object.hasOwn(arrived, slot))) {
    tx.data.gates.delete(place);
    return { ...child, parents: arrived };
  }
  tx.data.gates.set(place, {
    rule: gate.rule,
    key: gate.key,
    arrived,
    // Counted from the first arrival: a parent that runs again and again must not keep the gate for ever.
    expiresAt: waiting?.expiresAt ?? tx.now + gate.withinMs,
  });
  return null;
}

export function openGates(
  tx: Transaction,
  { arrived, limit }: { arrived: readonly JobId[]; limit: number },
): OpenGate[] {
  return [...tx.data.gates.values()]
    .filter((gate) => Object.values(gate.arrived).some((id) => arrived.includes(id)))
    .slice(0, limit)
    .map(({ expiresAt, ...gate }) => ({ ...gate, closesAt: expiresAt }));
}

export function closeGates(tx: Transaction, limit: number): ClosedGate[] {
  const expired = [...tx.data.gates.values()]
    .filter((gate) => gate.expiresAt < tx.now)
    .toSorted((a, b) => a.expiresAt - b.expiresAt)
    .slice(0, limit);
  for (const { rule, key } of expired) tx.data.gates.delete(keyOf(rule, key));
  return expired.map(({ rule, key, arrived }) => ({ rule, key, arrived }));
}
