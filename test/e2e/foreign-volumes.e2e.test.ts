/**
 * Tests that volumes of claims can be had on a control plane that does not make them: by "mendlet healer --local-volumes", with
 * the rights of its manifests alone, while nodes have no more rights than before.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HEALER_OBJECTS, LOCAL_VOLUMES_OBJECTS } from '../../tools/manifests/healer.ts';
import { Lab } from '../support/lab.ts';
import { Running } from '../support/running.ts';
import { busyboxPod, root, until } from './harness.ts';

let lab: Lab;
let healer: Running;

beforeAll(async () => {
  lab = await Lab.create({
    nodes: 1,
    clusterCidr: '10.236.0.0/16',
    serverFlags: ['--service-cidr', '10.106.0.0/16', '--local-volumes', 'false', '--healing-controller=false'],
  });
  await lab.start();
});
afterAll(async () => {
  await healer?.end('SIGTERM');
  await lab?.down();
});

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
};
const user = busyboxPod('user', 'echo here >/data/it; exec sleep 36000', {
  spec: { terminationGracePeriodSeconds: 0, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
  container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
});

const output = (args: readonly string[]): Promise<string> => lab.kubectl(args).then((text) => text.trim());

/** Whether this server has the object built in. */
const isKnown = (object: object): boolean =>
  (object as { metadata: { name: string } }).metadata.name === 'mendlet:pod-restarter';

it('has neither class nor volumes unless asked for', async () => {
  expect(await output(['get', 'sc,pv', '-o', 'name'])).toBe('');
  await lab.create(claim, user);
  await until('the claim says so', async () => {
    const last = await lab.kubectl(['events', '--for', 'pvc/data']);
    return last.includes('no storage class is set') ? { value: true } : { last };
  });
});

it('has both with the healer, which has the rights of its manifests', async () => {
  const rights = HEALER_OBJECTS.filter((object) => (object as { kind: string }).kind !== 'Deployment');
  await lab.create(...rights.filter((object) => !isKnown(object)), ...LOCAL_VOLUMES_OBJECTS);
  const token = await output(['create', 'token', 'mendlet-healer', '-n', 'kube-system']);
  const config = JSON.parse(await lab.kubectl(['config', 'view', '--raw', '-o', 'json'])) as {
    clusters: { cluster: object }[];
  };
  const path = join(lab.folder, 'healer.kubeconfig');
  const text = {
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: config.clusters[0]?.cluster }],
    users: [{ name: 'u', user: { token } }],
  };
  writeFileSync(path, JSON.stringify(text));
  const args = ['healer', '--kubeconfig', path, '--listen', '127.0.0.1:0', '--local-volumes'];
  healer = new Running(process.execPath, [join(root, 'dist/mendlet.js'), ...args, '--local-volume-class', 'folders']);
  await healer.ready('mendlet healer ready:');
  await until('the pod runs', async () => {
    const last = await output(['get', 'pod', 'user', '-o', 'jsonpath={.status.phase}']);
    if (last === 'Running') return { value: true };
    return { last: `${last}\n${await lab.kubectl(['events'])}\n${healer.log}` };
  });
  expect(await output(['get', 'sc', '-o', 'name'])).toBe('storageclass.storage.k8s.io/folders');
  const folder = await output(['get', 'pv', '-o', 'jsonpath={.items[0].spec.local.path}']);
  expect(folder.startsWith(join(lab.folder, 'n1'))).toBe(true);
  await until('what the pod wrote', async () => (existsSync(join(folder, 'it')) ? { value: true } : { last: folder }));
  await lab.kubectl(['delete', 'pod/user', 'pvc/data']);
  await until('the end of the folder', async () => (existsSync(folder) ? { last: folder } : { value: true }));
  await until('the end of the volume', async () => {
    const last = await output(['get', 'pv', '-o', 'name']);
    return last === '' ? { value: true } : { last };
  });
});

it('shows each node a token that opens its volumes, and nothing else anywhere', async () => {
  const account = ['mendlet-local-volumes', '-n', 'kube-system'];
  const tokenFor = (audience: string): Promise<string> =>
    output(['create', 'token', ...account, '--audience', audience]);
  const { address } = lab.nodes[0] ?? { address: '' };
  const ask = (url: string, token: string): string => {
    const args = ['-sk', '-o', '/dev/null', '-w', '%{http_code}', '-H', `Authorization: Bearer ${token}`, url];
    return spawnSync('curl', args, { encoding: 'utf8' }).stdout;
  };
  const own = await tokenFor('mendlet.dev/node/n1');
  const kubelet = `https://${address}:10250`;
  expect(ask(`${kubelet}/mendlet/v1/volumes`, own)).toBe('200');
  for (const path of ['/pods', '/mendlet/v1/history', '/configz', '/logs/'])
    expect(ask(kubelet + path, own)).toBe('403');
  expect(ask(`${kubelet}/mendlet/v1/volumes`, await tokenFor('mendlet.dev/node/n2'))).toBe('401');
  expect(ask(`${lab.server}/api/v1/persistentvolumes`, own)).toBe('401');
  // The account is the nodes' alone: what it may do at the API server is what every service account may.
  const ordinary = await output(['create', 'token', ...account]);
  expect(ask(`${lab.server}/api/v1/persistentvolumes`, ordinary)).toBe('403');
});

it('cannot prolong the life of its own token', async () => {
  const as = ['--as', 'system:serviceaccount:kube-system:mendlet-healer'];
  const mint = (name: string): Promise<string> => output(['create', 'token', name, '-n', 'kube-system', ...as]);
  await expect(mint('mendlet-healer')).rejects.toThrow(/forbidden/i);
  expect((await mint('mendlet-local-volumes')).split('.')).toHaveLength(3);
});
