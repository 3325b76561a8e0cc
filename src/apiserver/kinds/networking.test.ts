/** Verbs, status and refusals of the networking kinds that are records. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, type Loose, startTestServer, type TestServer } from '../test-server.ts';

const GROUP = '/apis/networking.k8s.io/v1';
const INGRESSES = `${GROUP}/namespaces/default/ingresses`;
const CLASSES = `${GROUP}/ingressclasses`;
const POLICIES = `${GROUP}/namespaces/default/networkpolicies`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const backend = { service: { name: 's', port: { number: 80 } } };
const ingress = (spec: object, name = 'a'): Promise<Answer> =>
  api.call('POST', INGRESSES, { metadata: { name, labels: { x: 'y' } }, spec });
const path = (more: object): object => ({
  rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...more }] } }],
});

describe('an ingress', () => {
  it('is stored with a warning, counts its changes, and has a status of its own', async () => {
    const made = await ingress({ defaultBackend: backend });
    expect([made.status, made.headers['warning']]).toEqual([201, expect.stringContaining('no ingress controller')]);
    const point = { loadBalancer: { ingress: [{ ip: '169.1.1.1', hostname: 'a.example' }] } };
    const told = await api.call(
      'PATCH',
      `${INGRESSES}/a/status`,
      { metadata: { annotations: { a: 'b' } }, status: point },
      MERGE,
    );
    expect(told.body).toMatchObject({ metadata: { generation: 1, annotations: { a: 'b' } }, status: point });
    const put = await api.call('PUT', `${INGRESSES}/a/status`, { ...told.body, spec: {}, status: {} });
    expect(put.body).toMatchObject({ spec: { defaultBackend: backend }, status: { loadBalancer: {} } });
    const changed = await api.call('PATCH', `${INGRESSES}/a`, { spec: path({}) }, MERGE);
    expect(changed.body.metadata.generation).toBe(2);
    expect((await api.call('GET', `${GROUP}/ingresses`)).body.items).toHaveLength(1);
    expect((await api.call('DELETE', `${INGRESSES}?labelSelector=x%3Dy`)).status).toBe(200);
    expect((await api.call('GET', `${INGRESSES}/a`)).status).toBe(404);
  });

  it.each<[string, object, string]>([
    ['no backend at all', {}, 'spec: Invalid value: []: either `defaultBackend` or `rules` must be specified'],
    ['a path out of its folder', path({ path: '/a/../b' }), "must not contain '/../'"],
    ['an end that is none', path({ path: '/a/.' }), "cannot end with '/.'"],
    [
      'an odd path of the controller',
      path({ path: 'a', pathType: 'ImplementationSpecific' }),
      'must be an absolute path',
    ],
    ['a host that is an address', { rules: [{ host: '10.0.0.1' }] }, 'must be a DNS name, not an IP address'],
    ['a star in the middle', { rules: [{ host: 'a.*.example' }] }, 'a wildcard DNS-1123 subdomain'],
    [
      'two ports',
      { defaultBackend: { service: { name: 's', port: { number: 1, name: 'b' } } } },
      'cannot set both port name & port number',
    ],
    [
      'a class that is no name',
      { defaultBackend: backend, ingressClassName: 'A_' },
      'spec.ingressClassName: Invalid value',
    ],
  ])('is refused with %s', async (_, spec, text) => {
    const { status, body } = await ingress(spec);
    expect([status, body.message]).toEqual([422, expect.stringContaining(text)]);
  });

  it('may name a wildcard', async () => {
    expect((await ingress({ rules: [{ host: '*.example.com' }], tls: [{ hosts: ['*.example.com'] }] })).status).toBe(
      201,
    );
  });
});

describe('an ingress class', () => {
  const make = (spec: object): Promise<Answer> => api.call('POST', CLASSES, { metadata: { name: 'c' }, spec });
  it('keeps its controller', async () => {
    expect((await make({ controller: 'x.example/c' })).status).toBe(201);
    const { body } = await api.call('PATCH', `${CLASSES}/c`, { spec: { controller: 'y.example/c' } }, MERGE);
    expect(body.message).toContain('spec.controller: Invalid value: "y.example/c": field is immutable');
  });

  it.each([
    ['nothing', 'must be a domain-prefixed path'],
    ['A_/c', 'lowercase RFC 1123 subdomain'],
    [`x.example/${'c'.repeat(250)}`, 'may not be more than 250 bytes'],
  ])('is refused with the controller %s', async (controller, text) =>
    expect((await make({ controller })).body.message).toContain(text),
  );
});

describe('a network policy', () => {
  const make = (spec: object): Promise<Answer> => api.call('POST', POLICIES, { metadata: { name: 'p' }, spec });
  it('is stored, and says that nobody enforces it', async () => {
    const { status, headers, body } = await make({ podSelector: {}, egress: [{ ports: [{ port: 53 }] }] });
    expect([status, headers['warning']]).toEqual([201, expect.stringContaining('enforces no NetworkPolicies')]);
    expect(body.spec).toEqual({
      podSelector: {},
      egress: [{ ports: [{ port: 53, protocol: 'TCP' }] }],
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  it.each<[string, Loose, string]>([
    [
      'a peer of two kinds',
      { podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } },
      'may not specify both ipBlock and another peer',
    ],
    [
      'a hole outside of its block',
      { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/9'] } },
      'must be a strict subset of `cidr`',
    ],
    [
      'a hole as large as the block',
      { ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } },
      'must be a strict subset of `cidr`',
    ],
    [
      'a block of the other family',
      { ipBlock: { cidr: '10.0.0.0/8', except: ['::/16'] } },
      'must be a strict subset of `cidr`',
    ],
    ['no block', { ipBlock: { cidr: '10.0.0.0' } }, 'must be a valid CIDR value'],
  ])('is refused with %s', async (_, peer, text) => {
    const { status, body } = await make({ podSelector: {}, ingress: [{ from: [peer] }] });
    expect([status, body.message]).toEqual([422, expect.stringContaining(text)]);
  });

  it('has at most two types, which there are', async () => {
    expect((await make({ policyTypes: ['Ingress', 'Egress', 'Both'] })).body.message).toContain(
      'more than two policyTypes',
    );
    expect((await make({ policyTypes: ['Both'] })).body.message).toContain(
      'spec.policyTypes[0]: Unsupported value: "Both"',
    );
  });
});
