import { describe, expect, it } from 'vitest';
import { hostPortsClash, hostPortsOf, nodeSelectorMatches, toleratesTaint } from './node-fit.ts';
import type { Node, NodeSelectorRequirement, Pod, Toleration } from './types.gen.ts';

const node: Node = { metadata: { name: 'n1', labels: { zone: 'a', cores: '8' } } };
const withSpec = (spec: Partial<NonNullable<Pod['spec']>>): Pod => ({ spec: { containers: [], ...spec } });
const requiring = (matchExpressions: NodeSelectorRequirement[], matchFields: NodeSelectorRequirement[] = []): Pod =>
  withSpec({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions, matchFields }] },
      },
    },
  });

describe('nodeSelectorMatches', () => {
  it.each<[string, Pod, boolean]>([
    ['nothing asked', withSpec({}), true],
    ['selector fits', withSpec({ nodeSelector: { zone: 'a' } }), true],
    ['selector does not', withSpec({ nodeSelector: { zone: 'b' } }), false],
    ['In', requiring([{ key: 'zone', operator: 'In', values: ['a', 'b'] }]), true],
    ['NotIn without the label', requiring([{ key: 'disk', operator: 'NotIn', values: ['hdd'] }]), true],
    ['Exists, inherited names are no labels', requiring([{ key: 'constructor', operator: 'Exists' }]), false],
    ['DoesNotExist', requiring([{ key: 'disk', operator: 'DoesNotExist' }]), true],
    ['Gt', requiring([{ key: 'cores', operator: 'Gt', values: ['4'] }]), true],
    ['Lt', requiring([{ key: 'cores', operator: 'Lt', values: ['8'] }]), false],
    ['Gt of no number', requiring([{ key: 'zone', operator: 'Gt', values: ['4'] }]), false],
    ['a field', requiring([], [{ key: 'metadata.name', operator: 'In', values: ['n1'] }]), true],
    ['a term without requirements', requiring([]), false],
  ])('%s', (_name, pod, expected) => {
    expect(nodeSelectorMatches(pod, node)).toBe(expected);
  });
});

describe('toleratesTaint', () => {
  const taint = { key: 'k', value: 'v', effect: 'NoSchedule' };
  it.each<[string, Toleration, boolean]>([
    ['equal', { key: 'k', value: 'v', effect: 'NoSchedule' }, true],
    ['any effect', { key: 'k', value: 'v' }, true],
    ['exists', { key: 'k', operator: 'Exists' }, true],
    ['everything', { operator: 'Exists' }, true],
    ['another value', { key: 'k', value: 'w' }, false],
    ['another effect', { key: 'k', value: 'v', effect: 'NoExecute' }, false],
    ['no key needs Exists', { value: 'v' }, false],
  ])('%s', (_name, toleration, expected) => {
    expect(toleratesTaint(withSpec({ tolerations: [toleration] }), taint)).toBe(expected);
  });
});

describe('host ports', () => {
  it('are those of containers and sidecars, with every address as 0.0.0.0', () => {
    const ports = [{ containerPort: 80, hostPort: 8080 }];
    const pod = withSpec({
      containers: [{ name: 'a', ports }],
      initContainers: [
        { name: 'side', restartPolicy: 'Always', ports: [{ containerPort: 1, hostPort: 1, hostIP: '::' }] },
        { name: 'init', ports: [{ containerPort: 2, hostPort: 2 }] },
      ],
    });
    expect(hostPortsOf(pod)).toEqual([
      { ip: '0.0.0.0', protocol: 'TCP', port: 8080 },
      { ip: '0.0.0.0', protocol: 'TCP', port: 1 },
    ]);
  });

  it.each([
    ['the same', ['127.0.0.1', 'TCP', 1], ['127.0.0.1', 'TCP', 1], true],
    ['any address', ['0.0.0.0', 'TCP', 1], ['127.0.0.1', 'TCP', 1], true],
    ['another address', ['127.0.0.2', 'TCP', 1], ['127.0.0.1', 'TCP', 1], false],
    ['another protocol', ['0.0.0.0', 'UDP', 1], ['0.0.0.0', 'TCP', 1], false],
    ['another port', ['0.0.0.0', 'TCP', 2], ['0.0.0.0', 'TCP', 1], false],
  ] as const)('%s', (_name, [ipA, protocolA, portA], [ipB, protocolB, portB], expected) => {
    expect(
      hostPortsClash({ ip: ipA, protocol: protocolA, port: portA }, { ip: ipB, protocol: protocolB, port: portB }),
    ).toBe(expected);
  });
});
