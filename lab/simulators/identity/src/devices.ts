import { randomInt } from 'node:crypto';
import { createBoundedMap } from './bounded-map.ts';
import { randomSecret } from './identifiers.ts';
import type { Client } from './options.ts';
import { Refusal } from './refusal.ts';
import type { Scopes } from './scopes.ts';
import type { Session } from './sessions.ts';

export const DEVICE_CODE_SECONDS = 900;
export const POLL_SECONDS = 5;
/** A client's timer may ring early by a little, and the network is not even. */
const GRACE_MS = 500;
/** Codes are remembered for longer than they are valid, to say `expired_token` and not `invalid_grant`. */
const REMEMBERED_MS = 2 * DEVICE_CODE_SECONDS * 1000;

/** No vowels, so no words; no letters that look alike. Eight of twenty: 2.5 × 10^10 codes. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** A program without a browser that waits for a person to sign in somewhere else. */
export interface Device {
  readonly code: string;
  /** As people see it: `WDJB-MJHT`. */
  readonly userCode: string;
  readonly client: Client;
  readonly scopes: Scopes;
  readonly until: number;
  decision: Session | 'denied' | null;
  interval: number;
  polledAt: number | null;
}

export interface Devices {
  start(client: Client, scopes: Scopes): Device;
  /** The sign-in that waits for this code, typed in whatever way. Null: there is none, or not any more. */
  find(typed: string): Device | null;
  isWaiting(device: Device): boolean;
  /** The session, once; else a refusal that asks the program to go on or to give up. */
  poll(code: string, client: Client): Session;
}

export function createDevices(now: () => number): Devices {
  const limits = { most: 1_000, lifetimeMs: REMEMBERED_MS, now };
  const byCode = createBoundedMap<Device>(limits);
  const byUserCode = createBoundedMap<Device>(limits);
  const isWaiting = (device: Device) => device.decision === null && now() < device.until;

  function freshUserCode(): string {
    for (;;) {
      const letters = Array.from({ length: 8 }, () => LETTERS.charAt(randomInt(LETTERS.length)));
      if (byUserCode.get(letters.join('')) === undefined) return letters.join('');
    }
  }

  return {
    start(client, scopes) {
      const letters = freshUserCode();
      const device: Device = {
        code: randomSecret(),
        userCode: `${letters.slice(0, 4)}-${letters.slice(4)}`,
        client,
        scopes,
        until: now() + DEVICE_CODE_SECONDS * 1000,
        decision: null,
        interval: POLL_SECONDS,
        polledAt: null,
      };
      byCode.set(device.code, device);
      byUserCode.set(letters, device);
      return device;
    },
    find(typed) {
      const device = byUserCode.get(typed.toUpperCase().replaceAll(/[^A-Z]/g, ''));
      return device !== undefined && isWaiting(device) ? device : null;
    },
    isWaiting,
    poll(code, client) {
      const device = byCode.get(code);
      if (device === undefined || device.client.id !== client.id) {
        throw new Refusal('invalid_grant', 'There is no such device code.');
      }
      if (now() >= device.until) {
        throw new Refusal('expired_token', 'The device code has expired. Start again.');
      }
      if (device.decision === 'denied') {
        throw new Refusal('access_denied', 'The person refused to sign in.');
      }
      if (device.decision === null) throw stillWaiting(device, now());
      byCode.delete(code);
      return device.decision;
    },
  };
}

function stillWaiting(device: Device, now: number): Refusal {
  const tooSoon =
    device.polledAt !== null && now - device.polledAt < device.interval * 1000 - GRACE_MS;
  device.polledAt = now;
  if (!tooSoon) return new Refusal('authorization_pending', 'Nobody has signed in yet.');
  device.interval += 5; // as RFC 8628, 3.5 asks of the client
  return new Refusal('slow_down', `Ask every ${device.interval} seconds.`);
}
