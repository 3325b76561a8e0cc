import { expect, it } from 'vitest';
import { servingNames } from './serving-names.ts';

const node = { nodeName: 'n1', addresses: ['192.0.2.7'], machineAddresses: ['192.0.2.7', '10.1.0.1'] };

it.each([
  { server: 'https://192.0.2.1:6443', isOurs: true, ipAddresses: ['192.0.2.7'], why: 'elsewhere' },
  { server: 'https://192.0.2.1:6443', isOurs: false, ipAddresses: ['192.0.2.7'], why: 'elsewhere, of another make' },
  { server: 'https://127.0.0.1:6443', isOurs: true, ipAddresses: [], why: 'our server has the same addresses' },
  { server: 'https://[::1]:6443', isOurs: true, ipAddresses: [], why: 'our server has the same addresses' },
  { server: 'https://10.1.0.1:6443', isOurs: true, ipAddresses: [], why: 'our server has the same addresses' },
  // It dials its nodes by address, and checks whom the certificate is for.
  { server: 'https://127.0.0.1:6443', isOurs: false, ipAddresses: ['192.0.2.7'], why: 'beside one of another make' },
  { server: 'https://10.1.0.1:6443', isOurs: false, ipAddresses: ['192.0.2.7'], why: 'beside one of another make' },
])('$server, $why', async ({ server, isOurs, ipAddresses }) => {
  const names = await servingNames({ ...node, server, isOurs: async () => isOurs });
  expect(names).toEqual({ dnsNames: ['n1'], ipAddresses });
});

it('asks a server that is elsewhere nothing', async () => {
  const isOurs = (): Promise<boolean> => Promise.reject(new Error('asked'));
  await expect(servingNames({ ...node, server: 'https://192.0.2.1:6443', isOurs })).resolves.toBeDefined();
});
