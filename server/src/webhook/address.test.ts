import { describe, expect, test } from 'vitest';
import { isLoopbackHost, isPublicAddress } from './address.ts';

describe('an address on the public internet', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001:80b::200e',
  ])('%s is one', (address) => expect(isPublicAddress(address)).toBe(true));

  test.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['loopback, the far end', '127.255.255.254'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['cloud metadata', '169.254.169.254'],
    ['documentation', '203.0.113.7'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped, public inside', '::ffff:8.8.8.8'],
    ['IPv4-mapped, in hex', '::ffff:7f00:1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['unique local', 'fd00::1'],
    ['unique local', 'fc00::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['public with a zone', '2606:4700::1111%1'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['cloud metadata', 'fd00:ec2::254'],
    ['a name', 'localhost'],
    ['nothing', ''],
  ])('%s %s is none', (_, address) => expect(isPublicAddress(address)).toBe(false));
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.1', false],
  ['example.com', false],
  ['localhost.example.com', false],
  ['', false],
])('listening on %s is for this machine only: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
