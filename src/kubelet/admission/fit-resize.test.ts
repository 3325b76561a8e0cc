import { expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { fitResize } from './fit-resize.ts';

const pod = (cpu: string, memory: string, annotations?: Record<string, string>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'b', ...(annotations === undefined ? {} : { annotations }) },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, memory } } }] },
});
const node = { milliCpu: 2000, memoryBytes: 2 ** 30, pods: 110 };
const staticPod = { 'kubernetes.io/config.source': 'file' };

it.each<[string, Pod, readonly Pod[], string | undefined, string]>([
  ['room', pod('1', '1Gi'), [pod('1', '0')], undefined, ''],
  [
    'more CPU than there is',
    pod('3', '1Mi'),
    [],
    'Infeasible',
    "Node didn't have enough capacity: cpu, requested: 3000, capacity: 2000",
  ],
  [
    'more memory than there is',
    pod('1', '2Gi'),
    [],
    'Infeasible',
    "Node didn't have enough capacity: memory, requested: 2147483648, capacity: 1073741824",
  ],
  [
    'more CPU than is left',
    pod('1500m', '1Mi'),
    [pod('1', '1Mi')],
    'Deferred',
    "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
  ],
  [
    'more memory than is left',
    pod('1', '1Gi'),
    [pod('1', '1Mi')],
    'Deferred',
    "Node didn't have enough resource: memory, requested: 1073741824, used: 1048576, capacity: 1073741824",
  ],
  ['a static pod', pod('1', '1Mi', staticPod), [], 'Infeasible', 'In-place resize of static-pods is not supported'],
  ['from the API', pod('1', '1Mi', { 'kubernetes.io/config.source': 'api' }), [], undefined, ''],
])('%s', (_name, wanted, others, reason, message) => {
  const expected = reason === undefined ? { fits: true } : { fits: false, reason, message };
  expect(fitResize(wanted, others, node)).toEqual(expected);
});
