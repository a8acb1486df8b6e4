import { BlockList, isIP } from 'node:net';

/**
 * Which addresses a stranger's URL may lead to: the public internet and nothing else. From the IANA
 * special-purpose registries; in IPv6 everything outside global unicast (2000::/3) is closed, which
 * covers unspecified, loopback, IPv4-mapped, NAT64, ULA, link-local and multicast at once.
 */
const CLOSED_V4 = subnets('ipv4', [
  '0.0.0.0/8', // this network, unspecified
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]);
const OPEN_V6 = subnets('ipv6', ['2000::/3']);
const CLOSED_V6 = subnets('ipv6', [
  '2001::/23', // Teredo and other protocols that carry another address inside
  '2001:db8::/32',
  '2002::/16', // 6to4
  '3fff::/20',
]);
const LOOPBACK_V4 = subnets('ipv4', ['127.0.0.0/8']);

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !CLOSED_V4.check(address, 'ipv4');
    case 6:
      // With a zone ("fe80::1%eth0") it is an address of this machine's own links.
      return (
        !address.includes('%') &&
        OPEN_V6.check(address, 'ipv6') &&
        !CLOSED_V6.check(address, 'ipv6')
      );
    default:
      return false;
  }
}

/** Whether a HOST to listen on can be reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && LOOPBACK_V4.check(host));
}

function subnets(family: 'ipv4' | 'ipv6', list: readonly string[]): BlockList {
  const block = new BlockList();
  for (const subnet of list) {
    const [address = '', prefix] = subnet.split('/');
    block.addSubnet(address, Number(prefix), family);
  }
  return block;
}
