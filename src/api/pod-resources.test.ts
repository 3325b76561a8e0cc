import { describe, expect, it } from 'vitest';
import { podLimits, podRequests } from './pod-resources.ts';
import { qosClassOf } from './qos-class.ts';
import type { Container, PodSpec, ResourceRequirements } from './types.gen.ts';

function container(resources: ResourceRequirements, restartPolicy?: string): Container {
  return restartPolicy === undefined ? { name: 'c', resources } : { name: 'c', resources, restartPolicy };
}

const cpu = (value: string) => container({ requests: { cpu: value } });
const both = { cpu: '1', memory: '1Gi' };

describe('podRequests', () => {
  it.each<[string, PodSpec, object]>([
    ['nothing', { containers: [container({})] }, {}],
    ['a sum', { containers: [cpu('100m'), cpu('900m')] }, { cpu: '1' }],
    ['a larger init container', { containers: [cpu('1')], initContainers: [cpu('2')] }, { cpu: '2' }],
    [
      'sidecars beside the containers',
      { containers: [cpu('1')], initContainers: [container({ requests: { cpu: '1' } }, 'Always'), cpu('500m')] },
      { cpu: '2' },
    ],
    [
      'an init container beside earlier sidecars',
      { containers: [cpu('1')], initContainers: [container({ requests: { cpu: '1' } }, 'Always'), cpu('3')] },
      { cpu: '4' },
    ],
    ['overhead', { containers: [cpu('1')], overhead: { cpu: '250m' } }, { cpu: '1250m' }],
    ['the pod level', { containers: [cpu('1')], resources: { requests: { cpu: '3' } } }, { cpu: '3' }],
  ])('counts %s', (_name, spec, expected) => {
    expect(podRequests(spec)).toEqual(expected);
  });
});

describe('podLimits', () => {
  it('has only what every container limits', () => {
    const spec: PodSpec = {
      containers: [container({ limits: { cpu: '1', memory: '1Gi' } }), container({ limits: { memory: '1Gi' } })],
    };
    expect(podLimits(spec)).toEqual({ memory: '2Gi' });
  });
});

describe('qosClassOf', () => {
  it.each<[string, PodSpec, string]>([
    ['nothing', { containers: [container({})] }, 'BestEffort'],
    ['zero', { containers: [container({ requests: { cpu: '0' } })] }, 'BestEffort'],
    ['another resource', { containers: [container({ requests: { 'ephemeral-storage': '1' } })] }, 'BestEffort'],
    ['requests', { containers: [cpu('1')] }, 'Burstable'],
    ['equal limits', { containers: [container({ requests: both, limits: both })] }, 'Guaranteed'],
    [
      'equal in other words',
      { containers: [container({ requests: { cpu: '1000m', memory: '1024Mi' }, limits: both })] },
      'Guaranteed',
    ],
    ['limits of one', { containers: [container({ requests: both, limits: both }), container({})] }, 'Burstable'],
    [
      'an init container without',
      { containers: [container({ requests: both, limits: both })], initContainers: [container({})] },
      'Burstable',
    ],
    [
      'limits above requests',
      { containers: [container({ requests: both, limits: { cpu: '2', memory: '1Gi' } })] },
      'Burstable',
    ],
    ['the pod level', { containers: [container({})], resources: { requests: both, limits: both } }, 'Guaranteed'],
  ])('by %s', (_name, spec, expected) => {
    expect(qosClassOf(spec)).toBe(expected);
  });
});
