import { describe, expect, it } from 'vitest';
import { printFieldError } from '../field-error.ts';
import { BINDINGS, CONFIG_MAPS, EVENTS, LEASES, NAMESPACES, NODES, SECRETS, SERVICE_ACCOUNTS } from '../resources.ts';
import type { KubeObject, Resource } from '../resource.ts';
import { validateCreate, validateUpdate } from './validate.ts';

const meta = { name: 'a', namespace: 'n' };
const stored = { ...meta, resourceVersion: '1' };
const clusterMeta = { name: 'a', resourceVersion: '1' };

function created(resource: Resource<unknown>, object: object): string[] {
  return validateCreate(resource, object as KubeObject).map(printFieldError);
}

function updated(resource: Resource<unknown>, object: object, old: object, subresource?: string): string[] {
  return validateUpdate(resource, object as KubeObject, old as KubeObject, subresource).map(printFieldError);
}

describe('creation', () => {
  it.each<[string, Resource<unknown>, object, string[]]>([
    ['a config map', CONFIG_MAPS, { metadata: meta, data: { a: 'b' }, binaryData: { c: 'eA==' } }, []],
    [
      'a key in both',
      CONFIG_MAPS,
      { metadata: meta, data: { a: 'b' }, binaryData: { a: 'eA==' } },
      ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    ],
    [
      'too much data',
      CONFIG_MAPS,
      { metadata: meta, data: { a: 'x'.repeat(1048577) } },
      ['[]: Too long: may not be more than 1048576 bytes'],
    ],
    ['a secret', SECRETS, { metadata: meta, type: 'Opaque', data: { a: 'eA==' } }, []],
    [
      'a TLS secret without key',
      SECRETS,
      { metadata: meta, type: 'kubernetes.io/tls', data: { 'tls.crt': '' } },
      ['data[tls.key]: Required value'],
    ],
    [
      'broken registry credentials',
      SECRETS,
      { metadata: meta, type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'eA==' } },
      ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": must be valid JSON'],
    ],
    [
      'a token without account',
      SECRETS,
      { metadata: meta, type: 'kubernetes.io/service-account-token' },
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
    ['a namespace', NAMESPACES, { metadata: { name: 'a' } }, []],
    [
      'a dotted namespace',
      NAMESPACES,
      { metadata: { name: 'a.b' } },
      ['metadata.name: Invalid value: "a.b": must not contain dots'],
    ],
    [
      'a namespace in a namespace',
      NAMESPACES,
      { metadata: meta },
      ['metadata.namespace: Forbidden: not allowed on this type'],
    ],
    ['a node', NODES, { metadata: { name: 'a.b' }, spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }, []],
    [
      'a taint without effect',
      NODES,
      { metadata: { name: 'a' }, spec: { taints: [{ key: 'k' }] } },
      ['spec.taints[0].effect: Required value'],
    ],
    ['a service account', SERVICE_ACCOUNTS, { metadata: meta }, []],
    [
      'a lease',
      LEASES,
      { metadata: meta, spec: { leaseDurationSeconds: 0 } },
      ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
    ],
    ['an event', EVENTS, { metadata: meta, involvedObject: { namespace: 'n' } }, []],
    [
      'an event elsewhere',
      EVENTS,
      { metadata: meta, involvedObject: { namespace: 'm' } },
      ['involvedObject.namespace: Invalid value: "m": does not match event.namespace'],
    ],
    ['an event of a node', EVENTS, { metadata: { name: 'a', namespace: 'default' }, involvedObject: {} }, []],
    [
      'a binding to a pod',
      BINDINGS,
      { target: { kind: 'Pod' } },
      ['target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"', 'target.name: Required value'],
    ],
  ])('%s', (_name, resource, object, expected) => {
    expect(created(resource, object)).toEqual(expected);
  });

  it('checks owners and finalizers of every kind', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };
    expect(created(CONFIG_MAPS, { metadata: { ...meta, ownerReferences: [owner, { ...owner, name: 'q' }] } })).toEqual([
      expect.stringContaining(
        'Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q',
      ),
    ]);
    expect(created(CONFIG_MAPS, { metadata: { ...meta, ownerReferences: [{}] } })).toHaveLength(4);
    expect(created(CONFIG_MAPS, { metadata: { ...meta, finalizers: ['-'] } })[0]).toContain(
      'metadata.finalizers: Invalid value: "-"',
    );
  });
});

describe('updates', () => {
  it.each<[string, Resource<unknown>, object, object, string[]]>([
    [
      'a frozen config map',
      CONFIG_MAPS,
      { metadata: stored, immutable: true, data: { a: '2' } },
      { metadata: stored, immutable: true, data: { a: '1' } },
      ['data: Forbidden: field is immutable when `immutable` is set'],
    ],
    [
      'thawing',
      CONFIG_MAPS,
      { metadata: stored },
      { metadata: stored, immutable: true },
      ['immutable: Forbidden: field is immutable when `immutable` is set'],
    ],
    [
      'a secret of another type',
      SECRETS,
      { metadata: stored, type: 'a' },
      { metadata: stored, type: 'b' },
      ['type: Invalid value: "a": field is immutable'],
    ],
    [
      'another provider',
      NODES,
      { metadata: clusterMeta, spec: { providerID: 'b' } },
      { metadata: clusterMeta, spec: { providerID: 'a' } },
      ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    ],
    ['cordoning', NODES, { metadata: clusterMeta, spec: { unschedulable: true } }, { metadata: clusterMeta }, []],
    [
      'a finalizer on what is being deleted',
      CONFIG_MAPS,
      { metadata: { ...stored, deletionTimestamp: 't', finalizers: ['a/b'] } },
      { metadata: { ...stored, deletionTimestamp: 't' } },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/b"}',
      ],
    ],
  ])('%s', (_name, resource, object, old, expected) => {
    expect(updated(resource, object, old)).toEqual(expected);
  });

  it('ties the phase of a namespace to its deletion', () => {
    const old = { metadata: clusterMeta };
    expect(updated(NAMESPACES, { metadata: clusterMeta, status: { phase: 'Terminating' } }, old, 'status')).toEqual([
      'status.phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
    expect(updated(NAMESPACES, { metadata: clusterMeta, status: { phase: 'Active' } }, old, 'status')).toEqual([]);
  });
});
