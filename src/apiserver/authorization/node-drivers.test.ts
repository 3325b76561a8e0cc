/** What a node may do with objects of drivers: of volumes, and of devices. One server; what changes objects comes last. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeText, type UserInfo } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from '../test-server.ts';

const STORAGE = '/apis/storage.k8s.io/v1';
const DEVICES = '/apis/resource.k8s.io/v1';
const PODS = '/api/v1/namespaces/default/pods';
const CLAIMS = `${DEVICES}/namespaces/default/resourceclaims`;

const node = (name: string): UserInfo => ({
  name: `system:node:${name}`,
  groups: ['system:nodes', 'system:authenticated'],
});
const nobody = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

const slice = (nodeName: string): object => ({
  metadata: { name: `of-${nodeName}` },
  spec: { nodeName, driver: 'd.example.com', pool: { name: nodeName, generation: 1, resourceSliceCount: 1 } },
});
const secret = (name: string): object => ({ name, namespace: 'default' });

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
  const make = async (url: string, body: object): Promise<void> => {
    const made = await api.call('POST', url, body);
    expect([made.status, made.body.message]).toEqual([201, undefined]);
  };
  for (const name of ['n1', 'n2']) {
    const source = { persistentVolumeName: `${name}-volume` };
    const attachment = { attacher: 'd.example.com', nodeName: name, source };
    await make(`${STORAGE}/volumeattachments`, { metadata: { name: `of-${name}` }, spec: attachment });
    await make(`${STORAGE}/csinodes`, { metadata: { name }, spec: { drivers: [] } });
    await make(`${DEVICES}/resourceslices`, slice(name));
    const volumes = [{ name: 'c', persistentVolumeClaim: { claimName: `${name}-claim` } }];
    const resourceClaims = [{ name: 'd', resourceClaimName: `${name}-device` }];
    const spec = { nodeName: name, serviceAccountName: 'default', volumes, resourceClaims };
    await make(PODS, podManifest(`of-${name}`, { spec }));
    const csi = {
      driver: 'd.example.com',
      volumeHandle: 'h',
      nodeStageSecretRef: secret(`${name}-stage`),
      controllerPublishSecretRef: secret(`${name}-controller`),
    };
    const claimRef = { namespace: 'default', name: `${name}-claim` };
    await make('/api/v1/persistentvolumes', {
      metadata: { name: `${name}-volume` },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi, claimRef },
    });
  }
});
afterAll(() => api.close());

async function status(user: UserInfo, text: string, body?: object): Promise<number> {
  const [method = '', url = ''] = text.split(' ');
  const stop = new AbortController();
  const sent = body === undefined ? {} : { body: encodeText(JSON.stringify(body)) };
  const answer = await api.server.as(user).request({ method, url, headers: {}, signal: stop.signal, ...sent });
  stop.abort();
  return answer.status;
}

const of = (name: string): string[] => [
  `GET ${STORAGE}/volumeattachments/of-${name}`,
  `GET ${STORAGE}/csinodes/${name}`,
  `GET ${DEVICES}/resourceslices/of-${name}`,
  `GET ${DEVICES}/resourceslices?fieldSelector=spec.nodeName%3D${name}`,
  `GET ${DEVICES}/resourceslices?watch=1&fieldSelector=spec.nodeName%3D${name}`,
  `GET ${CLAIMS}/${name}-device`,
  `GET /api/v1/persistentvolumes/${name}-volume`,
  `GET /api/v1/namespaces/default/secrets/${name}-stage`,
];
const common = [
  'GET /api/v1/namespaces/default/serviceaccounts/default',
  `GET ${STORAGE}/csidrivers`,
  `GET ${STORAGE}/csidrivers?watch=1`,
];
const removals = (name: string): string[] => [
  `DELETE ${STORAGE}/csinodes/${name}`,
  `DELETE ${DEVICES}/resourceslices/of-${name}`,
  `DELETE ${DEVICES}/resourceslices?fieldSelector=spec.nodeName%3D${name}`,
];

it.each([...of('n1'), ...common])('a node reaches what is its own: %s', async (text) => {
  expect([200, 404]).toContain(await status(node('n1'), text));
});

it.each([...of('n2'), ...removals('n2')])('a node does not reach another one’s: %s', async (text) => {
  expect(await status(node('n1'), text)).toBe(403);
});

it.each([...of('n1'), ...common, ...removals('n1')])('strangers reach nothing: %s', async (text) => {
  expect(await status(nobody, text)).toBe(401);
});

it.each([
  `GET ${STORAGE}/volumeattachments`,
  `DELETE ${STORAGE}/volumeattachments/of-n1`,
  `GET ${STORAGE}/csinodes`,
  `DELETE ${STORAGE}/csinodes`,
  `POST ${STORAGE}/csidrivers`,
  `GET ${DEVICES}/resourceslices`,
  `GET ${DEVICES}/resourceslices?fieldSelector=spec.driver%3Dd.example.com`,
  `DELETE ${DEVICES}/resourceslices`,
  `GET ${CLAIMS}`,
  `GET ${CLAIMS}/other`,
  `GET ${DEVICES}/deviceclasses`,
  `DELETE ${CLAIMS}/n1-device`,
  'GET /api/v1/namespaces/default/secrets/n1-controller',
  'GET /api/v1/namespaces/kube-system/serviceaccounts/default',
])('a node has no more than that: %s', async (text) => {
  expect(await status(node('n1'), text)).toBe(403);
});

it('a node reaches a claim that was made for its pod', async () => {
  const text = `GET ${CLAIMS}/made`;
  expect(await status(node('n1'), text)).toBe(403);
  const resourceClaims = [{ name: 'd', resourceClaimTemplateName: 't' }];
  await api.call('POST', PODS, podManifest('templated', { spec: { nodeName: 'n1', resourceClaims } }));
  const made = { status: { resourceClaimStatuses: [{ name: 'd', resourceClaimName: 'made' }] } };
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
  expect((await api.call('PATCH', `${PODS}/templated/status`, made, strategic)).status).toBe(200);
  expect(await status(node('n1'), text)).toBe(404);
  expect(await status(node('n2'), text)).toBe(403);
});

it('a node removes and makes its own, and none of another node', async () => {
  for (const text of removals('n1')) expect(await status(node('n1'), text)).toBe(200);
  for (const path of ['csinodes/n2', 'resourceslices/of-n2'])
    await api.call('DELETE', `${path.startsWith('csi') ? STORAGE : DEVICES}/${path}`);
  const csiNode = (name: string): object => ({ metadata: { name }, spec: { drivers: [] } });
  expect(await status(node('n1'), `POST ${STORAGE}/csinodes`, csiNode('n1'))).toBe(201);
  expect(await status(node('n1'), `POST ${STORAGE}/csinodes`, csiNode('n2'))).toBe(403);
  expect(await status(node('n1'), `POST ${DEVICES}/resourceslices`, slice('n1'))).toBe(201);
  expect(await status(node('n1'), `POST ${DEVICES}/resourceslices`, slice('n2'))).toBe(403);
  expect(await status(node('n1'), `GET ${DEVICES}/resourceslices/of-n1`)).toBe(200);
});

it('a node loses the secret of a volume with the volume', async () => {
  const text = 'GET /api/v1/namespaces/default/secrets/n1-stage';
  expect(await status(node('n1'), text)).toBe(404);
  await api.call('DELETE', '/api/v1/persistentvolumes/n1-volume');
  const merge = { 'content-type': 'application/merge-patch+json' };
  await api.call('PATCH', '/api/v1/persistentvolumes/n1-volume', { metadata: { finalizers: null } }, merge);
  await expect.poll(() => status(node('n1'), text)).toBe(403);
});
