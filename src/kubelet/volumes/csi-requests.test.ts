/** What a driver is asked, by PersistentVolume, CSIDriver and capabilities. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CsiNode } from '../../../test/support/csi-node.ts';
import {
  CSI_DRIVERS,
  type CSIDriverSpec,
  type CSIPersistentVolumeSource,
  isNotFound,
  type PersistentVolume,
  type PersistentVolumeSpec,
  type Pod,
  type PodSpec,
} from '../../api/index.ts';
import type { NodeCapability, VolumeCapability } from '../../csi/index.ts';
import { setUpCsi } from './csi-volume.ts';

let node: CsiNode;
beforeAll(async () => {
  node = await CsiNode.create();
});
afterAll(() => node.remove());
let turn = 0;
beforeEach(() => {
  turn += 1;
  node.calls.length = 0;
  node.tokens.length = 0;
});

interface Case {
  readonly driver?: CSIDriverSpec | undefined;
  readonly capabilities?: readonly NodeCapability[];
  readonly csi?: Partial<CSIPersistentVolumeSource>;
  readonly volume?: Partial<PersistentVolumeSpec>;
  readonly pod?: Partial<PodSpec>;
  readonly readOnly?: boolean;
  /** The volume is in the pod itself. */
  readonly inline?: boolean;
}

/** The driver's object is as the case says; each case has a pod and a volume of its own. */
async function ask({ driver = {}, capabilities = [], csi = {}, volume = {}, pod = {}, ...rest }: Case) {
  const { readOnly = false, inline = false } = rest;
  await node.api.client.delete(CSI_DRIVERS, undefined, 'd').catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  const spec = { attachRequired: false, volumeLifecycleModes: [inline ? 'Ephemeral' : 'Persistent'], ...driver };
  await node.api.client.create(CSI_DRIVERS, { metadata: { name: 'd' }, spec });
  const source = { driver: 'd', volumeHandle: `h${turn}`, ...csi };
  const asker: Pod = {
    metadata: { name: 'p', namespace: 'ns', uid: `u${turn}` },
    spec: { containers: [], serviceAccountName: 'sa', ...pod },
  };
  const of: PersistentVolume = {
    metadata: { name: `pv${turn}` },
    spec: { accessModes: ['ReadWriteOnce'], csi: source, ...volume },
  };
  const wish = { pod: asker, volumeName: 'v', readOnly, ...(!inline && { volume: of }) };
  const { volumeHandle: _, ...inlineSource } = source;
  const csiNode = node.agent(capabilities);
  const look = () => setUpCsi(csiNode, wish, inline ? inlineSource : source);
  const found = await look();
  return { look, found };
}

const requests = (method: 'stage' | 'publish'): readonly Record<string, unknown>[] =>
  node.calls.flatMap((call) => (call.method === method ? [{ ...call.request }] : []));

describe('the capability of a volume', () => {
  const once: VolumeCapability = { mode: 'single-node-writer', mount: { fsType: '', flags: [] } };
  const mount = once.mount;
  const fsGroup: Case['pod'] = { securityContext: { fsGroup: 7 } };
  const cases: readonly (readonly [string, Case, VolumeCapability])[] = [
    ['without more', {}, once],
    ['of a file system', { csi: { fsType: 'xfs' } }, { ...once, mount: { fsType: 'xfs', flags: [] } }],
    [
      'with mount options, which a provisioner copies from the class',
      { volume: { mountOptions: ['noatime', 'discard'] } },
      { ...once, mount: { fsType: '', flags: ['noatime', 'discard'] } },
    ],
    ['of a device', { volume: { volumeMode: 'Block', mountOptions: ['x'] } }, { mode: 'single-node-writer' }],
    ['for many readers', { volume: { accessModes: ['ReadOnlyMany'] } }, { mode: 'multi-node-reader-only', mount }],
    ['for many writers', { volume: { accessModes: ['ReadWriteMany'] } }, { mode: 'multi-node-multi-writer', mount }],
    ['for one pod, untold', { volume: { accessModes: ['ReadWriteOncePod'] } }, once],
    [
      'for one pod',
      { volume: { accessModes: ['ReadWriteOncePod'] }, capabilities: ['single-node-multi-writer'] },
      { mode: 'single-node-single-writer', mount },
    ],
    ['for one node', { capabilities: ['single-node-multi-writer'] }, { mode: 'single-node-multi-writer', mount }],
    ['for a group, which we give it to', { pod: fsGroup }, once],
    [
      'for a group, which the driver gives it to',
      { pod: fsGroup, capabilities: ['mount-group'] },
      { ...once, mount: { fsType: '', flags: [], group: '7' } },
    ],
    [
      'for a group that its driver does not want',
      { pod: fsGroup, capabilities: ['mount-group'], driver: { fsGroupPolicy: 'None' } },
      once,
    ],
    ['inline', { inline: true, csi: { fsType: 'ext4' } }, { ...once, mount: { fsType: 'ext4', flags: [] } }],
  ];

  it.each(cases)('%s', async (_, given, capability) => {
    await ask({ ...given, capabilities: ['stage', ...(given.capabilities ?? [])] });
    for (const { capability: asked } of [...requests('stage'), ...requests('publish')])
      expect(asked).toEqual(capability);
    expect(requests('publish')).toHaveLength(1);
    expect(requests('stage')).toHaveLength(given.inline === true ? 0 : 1);
  });
});

describe('what is published', () => {
  const attributes = { volumeAttributes: { color: 'blue' } };
  const info = (isEphemeral: boolean): object => ({
    'csi.storage.k8s.io/pod.name': 'p',
    'csi.storage.k8s.io/pod.namespace': 'ns',
    'csi.storage.k8s.io/pod.uid': `u${turn}`,
    'csi.storage.k8s.io/serviceAccount.name': 'sa',
    'csi.storage.k8s.io/ephemeral': String(isEphemeral),
  });

  it('is read-only if the pod says so, and not because of its source', async () => {
    await ask({ readOnly: true });
    expect(requests('publish')).toMatchObject([{ readOnly: true }]);
    node.calls.length = 0;
    turn += 1;
    await ask({ csi: { readOnly: true } });
    expect(requests('publish')).toMatchObject([{ readOnly: false }]);
  });

  it.each([
    ['a claim’s volume', false],
    ['an inline one', true],
  ])('of %s: the attributes, and the pod if the driver wants to know', async (_, inline) => {
    await ask({ inline, csi: attributes, capabilities: ['stage'] });
    expect(requests('publish')).toMatchObject([{ volumeContext: { color: 'blue' } }]);
    expect(Object.keys(requests('publish')[0]?.['volumeContext'] ?? {})).toEqual(['color']);
    node.calls.length = 0;
    turn += 1;
    await ask({ inline, csi: attributes, capabilities: ['stage'], driver: { podInfoOnMount: true } });
    expect(requests('publish')[0]?.['volumeContext']).toEqual({ color: 'blue', ...info(inline) });
    for (const { volumeContext } of requests('stage')) expect(volumeContext).toEqual({ color: 'blue' });
  });

  it('has the secrets of each call, and no other', async () => {
    const csi = {
      nodeStageSecretRef: { namespace: 'a', name: 'stage' },
      nodePublishSecretRef: { namespace: 'b', name: 'publish' },
      nodeExpandSecretRef: { namespace: 'c', name: 'expand' },
      controllerPublishSecretRef: { namespace: 'd', name: 'controller' },
    };
    await ask({ csi, capabilities: ['stage', 'expand'] });
    expect(requests('stage')[0]?.['secrets']).toEqual({ of: 'a/stage' });
    expect(requests('publish')[0]?.['secrets']).toEqual({ of: 'b/publish' });
  });

  it('inline has a secret of the pod’s own namespace', async () => {
    await ask({ inline: true, csi: { nodePublishSecretRef: { name: 'publish' } } });
    expect(requests('publish')[0]?.['secrets']).toEqual({ of: 'ns/publish' });
  });
});

describe('tokens of the pod', () => {
  const KEY = 'csi.storage.k8s.io/serviceAccount.tokens';
  const tokenRequests = [{ audience: 'vault', expirationSeconds: 600 }, { audience: '' }];
  const tokens = JSON.stringify({
    vault: { token: 'for vault', expirationTimestamp: '2026-01-01T00:00:00Z' },
    '': { token: 'for the server', expirationTimestamp: '2026-01-01T00:00:00Z' },
  });

  it.each([
    ['the context', false],
    ['the secrets', true],
  ])('are in %s of the publication, and never in the staging', async (_, serviceAccountTokenInSecrets) => {
    const csi = { nodePublishSecretRef: { namespace: 'b', name: 'publish' } };
    await ask({ csi, capabilities: ['stage'], driver: { tokenRequests, serviceAccountTokenInSecrets } });
    expect(node.tokens).toEqual(['vault 600', ' 3600']);
    expect(requests('publish')).toMatchObject([
      serviceAccountTokenInSecrets
        ? { volumeContext: {}, secrets: { of: 'b/publish', [KEY]: tokens } }
        : { volumeContext: { [KEY]: tokens }, secrets: { of: 'b/publish' } },
    ]);
    expect(JSON.stringify(requests('stage'))).not.toContain('for vault');
    const other = serviceAccountTokenInSecrets ? 'volumeContext' : 'secrets';
    expect(JSON.stringify(requests('publish')[0]?.[other])).not.toContain('for vault');
  });

  it('are fresh in each publication of a driver that wants to be asked again', async () => {
    const { look, found } = await ask({ driver: { tokenRequests, requiresRepublish: true }, capabilities: ['stage'] });
    expect(found.republishAfterMs).toBe(60_000);
    await look();
    expect(node.methods()).toEqual(['stage', 'publish', 'publish']);
    expect(node.tokens).toEqual(['vault 600', ' 3600', 'vault 600', ' 3600']);
    const [first, second] = requests('publish');
    expect(second).toEqual(first);
  });

  it('a publication that fails the next time leaves the volume as it is', async () => {
    const { look, found } = await ask({ driver: { requiresRepublish: true } });
    node.orders.set('publish', () => Promise.reject(new Error('no token today')));
    expect(await look()).toMatchObject({ path: found.path, problem: 'no token today' });
    expect(node.mounts.has(found.path)).toBe(true);
    expect(node.methods()).toEqual(['publish', 'publish']);
    node.orders.clear();
    expect((await look()).problem).toBe(undefined);
  });

  it('a driver that does not want it is not asked again', async () => {
    const { look, found } = await ask({ driver: { tokenRequests } });
    expect(found.republishAfterMs).toBe(undefined);
    await look();
    expect(node.methods()).toEqual(['publish']);
  });
});
