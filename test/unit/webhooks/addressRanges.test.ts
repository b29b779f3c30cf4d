import { isIP } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPublicAddress, isWithin, rangesOf } from '../../../src/records/webhooks/addressRanges.ts';

/**
 * The special-purpose address registries for IPv4 and IPv6, with the first, the last and an inner address of
 * each range.
 */
const special = {
  'this network': ['0.0.0.0', '0.0.0.1', '0.255.255.255'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  'shared, of carriers': ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
  'link-local, with the metadata of clouds': ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  "a cloud's host for its machines": ['168.63.129.16'],
  'protocol assignments': ['192.0.0.0', '192.0.0.8', '192.0.0.170', '192.0.0.255'],
  documentation: [
    '192.0.2.0',
    '192.0.2.255',
    '198.51.100.0',
    '198.51.100.255',
    '203.0.113.0',
    '203.0.113.255',
  ],
  'AS112 and AMT': ['192.31.196.0', '192.52.193.255', '192.175.48.0', '192.175.48.255'],
  '6to4 relays': ['192.88.99.0', '192.88.99.2', '192.88.99.255'],
  benchmarks: ['198.18.0.0', '198.19.255.255'],
  multicast: ['224.0.0.0', '239.255.255.255'],
  reserved: ['240.0.0.0', '255.255.255.254', '255.255.255.255'],
  'unspecified and loopback of IPv6': ['::', '::1'],
  'compatible and mapped': [
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '0:0:0:0:0:ffff:a9fe:a9fe',
  ],
  translated: ['64:ff9b::', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::', '64:ff9b:1:ffff::1'],
  discard: ['100::', '100::ffff', '100:0:0:1::1'],
  'protocol assignments of IPv6': [
    '2001::',
    '2001:1::1',
    '2001:1::3',
    '2001:2::1',
    '2001:3::1',
    '2001:4:112::1',
    '2001:10::1',
    '2001:20::1',
    '2001:30::1',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
  ],
  Teredo: ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'documentation of IPv6': ['2001:db8::', '2001:db8:ffff::1', '3fff::', '3fff:fff:ffff::1'],
  '6to4': ['2002::', '2002:7f00:1::', '2002:808:808::1'],
  'AS112 of IPv6': ['2620:4f:8000::', '2620:4f:8000:ffff::1'],
  'segment routing': ['5f00::', '5f00:ffff::1'],
  'unique local': ['fc00::', 'fd00::1', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'link-local and site-local': ['fe80::', 'fe80::1', 'febf::1', 'fec0::1', 'feff::1'],
  'multicast of IPv6': ['ff00::', 'ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'not assigned': ['200::1', '400::1', '1000::1', '4000::1', '8000::1', 'e000::1'],
};

for (const [name, addresses] of Object.entries(special))
  test(`addresses are refused: ${name}`, () => {
    expect(addresses.filter((address) => isIP(address) === 0)).toEqual([]);
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

test('addresses right beside the special ones, and those of known hosts, are public', () => {
  const addresses = [
    ...['1.0.0.0', '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
    ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
    ...['191.255.255.255', '192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255'],
    ...['198.20.0.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
    ...[
      '2001:200::1',
      '2001:4860:4860::8888',
      '2001:db7::1',
      '2001:db9::1',
      '2003::1',
      '2606:4700:4700::1111',
    ],
    ...['2620:4f:7fff::1', '2620:4f:8001::1', '2a00::1', '3ffe::1', '3fff:1000::1'],
  ];
  expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test('text that is no address in its usual form is not public', () => {
  const texts = ['', 'example.com', '0x7f000001', '2130706433', '0177.0.0.1', '127.1', '8.8.8.8 ', '[::1]'];
  const zones = ['fe80::1%eth0', '2606:4700:4700::1111%lo', '::1%1'];
  expect([...texts, ...zones].filter(isPublicAddress)).toEqual([]);
});

test('no IPv4 address is public in the form of an IPv6 one', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:'), (address, prefix) => {
      expect(isPublicAddress(`${prefix}${address}`)).toBe(false);
    }),
  );
});

test('an allowed range has its own addresses and no others', () => {
  const ranges = rangesOf(['10.1.0.0/16', '::1', 'fd00::/8']);
  expect(['10.1.0.0', '10.1.255.255', '::1', 'fd12::1'].filter((item) => !isWithin(ranges, item))).toEqual(
    [],
  );
  expect(
    ['10.0.255.255', '10.2.0.0', '::2', 'fc00::1', 'fd12::1%eth0', 'name'].filter((item) =>
      isWithin(ranges, item),
    ),
  ).toEqual([]);
  expect(() => rangesOf(['10.0.0.0/x'])).toThrow('is not an address range');
});
