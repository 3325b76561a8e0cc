import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../kubelet/index.ts';
import { withClusterDns } from './node-dns.ts';

it.each<[string, readonly string[], string | undefined, readonly string[]]>([
  ['pods get the address of the node’s own server', [], '10.244.0.1', ['10.244.0.1']],
  ['unless the user named one', ['10.96.0.10'], '10.244.0.1', ['10.96.0.10']],
  ['or there is none', [], undefined, []],
])('%s', (_what, configured, address, expected) =>
  expect(withClusterDns({ ...DEFAULT_SETTINGS, clusterDns: configured }, address).clusterDns).toEqual(expected),
);
