import { randomBytes } from 'node:crypto';
import type { OutputName } from './types.ts';

const NAME = /^([A-Za-z0-9_-]{1,80})\.(\d{1,16})\.[0-9a-f]{8}$/;

/**
 * Job, epoch and chance: nothing that a person wrote is part of a file's name. The epoch alone is not enough: after a fail-over
 * that lost commits the database can give one twice.
 */
export function newName(job: string, epoch: number): string {
  const name = `${job}.${epoch}.${randomBytes(4).toString('hex')}`;
  if (nameOf(name) === null) throw new Error(`No file can be named after the job ${job}.`);
  return name;
}

/** Null: the name is none of ours. */
export function nameOf(name: string): OutputName | null {
  const [, job, epoch] = NAME.exec(name) ?? [];
  return job === undefined ? null : { name, job, epoch: Number(epoch) };
}
