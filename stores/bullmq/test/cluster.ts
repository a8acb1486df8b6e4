import { Redis } from 'ioredis';
import { startRedis } from '../../../scripts/services.mjs';

const SETTINGS = { 'cluster-enabled': 'yes', 'cluster-node-timeout': 5_000 };
const SLOTS = [
  [0, 8_191],
  [8_192, 16_383],
] as const;

/** Two servers that share the slots, without replicas. */
export async function startCluster() {
  const servers = [
    await startRedis({ settings: SETTINGS }),
    await startRedis({ settings: SETTINGS }),
  ];
  const nodes = servers.map(({ url }) => new Redis(url));
  for (const [index, node] of nodes.entries()) {
    const [from = 0, to = 0] = SLOTS[index] ?? [];
    await node.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
  }
  const [first, second] = nodes;
  const port = new URL(servers[1]?.url ?? '').port;
  await first?.call('CLUSTER', 'MEET', '127.0.0.1', port, servers[1]?.busPort ?? 0);
  const isWhole = async (node?: Redis): Promise<boolean> =>
    String(await node?.call('CLUSTER', 'INFO')).includes('cluster_state:ok');
  while (!(await isWhole(first)) || !(await isWhole(second)));
  return {
    url: servers[0]?.url ?? '',
    urls: servers.map(({ url }) => url),
    nodes,
    async remove() {
      nodes.forEach((node) => node.disconnect());
      await Promise.all(servers.map((server) => server.remove()));
    },
  };
}
