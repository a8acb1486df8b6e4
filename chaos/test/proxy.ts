import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A TCP proxy whose connections can go silent without closing, as when a firewall forgets them. */
export interface SilentProxy {
  readonly port: number;
  /** From now on nothing passes through the connections that exist; new ones work. */
  silence(): void;
  close(): Promise<void>;
}

export async function startProxy(target: { host: string; port: number }): Promise<SilentProxy> {
  const pairs = new Set<{ near: Socket; far: Socket; silent: boolean }>();
  const server = createServer((near) => {
    const far = connect(target);
    const pair = { near, far, silent: false };
    pairs.add(pair);
    near.on('data', (data) => pair.silent || far.write(data));
    far.on('data', (data) => pair.silent || near.write(data));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => {
        if (pair.silent) return;
        pairs.delete(pair);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      for (const pair of pairs) pair.silent = true;
    },
    close: () =>
      new Promise((resolve) => {
        for (const { near, far } of pairs) {
          near.destroy();
          far.destroy();
        }
        server.close(() => resolve());
      }),
  };
}
