/** Tests what is said of addresses that a pod does not have, which are no ports that are taken. */
import { describe } from 'vitest';
import { crashed, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

const ended = (
  lines: readonly string[],
  spec: object = {},
  texts?: Readonly<Record<string, string>>,
): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
    spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }], ...spec },
    podStatus: { podIP: '10.244.1.15', podIPs: [{ ip: '10.244.1.15' }] },
    status: crashed({ exitCode: 255 }),
  }),
  logs: lastWords(...lines),
  configs: [
    { kind: 'ConfigMap', name: 'app', state: 'found', keys: Object.keys(texts ?? {}), ...(texts && { texts }) },
  ],
});
const COTURN = [
  '0: : Trying to bind fd 16 to <10.20.30.40:3478>: errno=99',
  '0: : Cannot bind DTLS/UDP listener socket to addr 10.20.30.40:3478',
  '0: : Trying to bind DTLS/UDP listener socket to addr 10.20.30.40:3478, again...',
  'bind: Cannot assign requested address',
  'Cannot bind local socket to addr: Cannot assign requested address',
  '0: : ERROR: Fatal final failure: cannot bind DTLS/UDP listener socket to addr 10.20.30.40:3478',
] as const;

const rows: readonly Case[] = [
  [
    'an address of another machine',
    ended(COTURN, {}, { 'turn.conf': 'listening-port=3478\nlistening-ip=10.20.30.40\n' }),
    'address-not-available',
    /^container web cannot listen on 10\.20\.30\.40:3478, an address that its pod does not have \(it has 10\.244\.1\.15\): .*; its configuration \/etc\/app\/turn\.conf is of ConfigMap app \(line 2, listening-ip\)$/,
  ],
  [
    'one that the line does not explain',
    ended(['FATAL: could not bind to address 10.20.30.40:6432']),
    'address-not-available',
    /cannot listen on 10\.20\.30\.40:6432, an address that its pod does not have \(it has 10\.244\.1\.15\): /,
  ],
  [
    'one in a language runtime',
    ended(['Error: listen EADDRNOTAVAIL: address not available 192.168.7.9:8080']),
    'address-not-available',
    /cannot listen on 192\.168\.7\.9:8080, an address that its pod does not have/,
  ],
  [
    'one of nobody knows which',
    ended(['bind: Cannot assign requested address']),
    'address-not-available',
    /^container web cannot listen on an address that its pod does not have: bind: Cannot assign requested address$/,
  ],
  [
    'one of a server of names',
    ended(['error: failed to bind address 192.0.2.3@53 (cannot assign requested address)']),
    'address-not-available',
    /cannot listen on 192\.0\.2\.3:53, an address that its pod does not have/,
  ],
  [
    'one of the node',
    ended(['FATAL: bind 10.20.30.40:53: cannot assign requested address'], { hostNetwork: true }),
    'address-not-available',
    /cannot listen on 10\.20\.30\.40:53, an address that its node does not have: /,
  ],
  [
    'a connection that has no address to come from',
    ended(['FATAL: dial tcp [::1]:8080: connect: cannot assign requested address']),
    'address-not-available',
    /^container web cannot connect to \[::1\]:8080, as its pod has no address or no port left for that: /,
  ],
  [
    'a port that is taken',
    ended(['FATAL: could not bind to address 10.244.1.15:6432: Address already in use']),
    'port-in-use',
    /cannot listen on port 6432: something in its pod does already/,
  ],
  [
    'a port without a reason, at its own address',
    ended(['FATAL: could not bind to address 10.244.1.15:6432']),
    'port-in-use',
    /cannot listen on port 6432/,
  ],
  [
    'a port without a reason, at all addresses',
    ended(['FATAL: could not bind to address 0.0.0.0:6432']),
    'port-in-use',
    /cannot listen on port 6432/,
  ],
];

describe('addresses', () => {
  tellsEach(rows);
});
