/**
 * Tests a driver that must attach its volumes, on two nodes, with an attacher that follows the protocol of the standard one: the
 * example driver refuses to stage what is not attached to its node, and to attach to a second node what one node may have.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exampleDriverArchive } from '../support/csi-example/image.ts';
import { installInLab, labKubeletDir } from '../support/csi-example/manifests.ts';
import { Lab } from '../support/lab.ts';
import { describeInWhole } from './extent.ts';
import { busyboxPod, type ObservedPod, root, run, until } from './harness.ts';

const PROGRAM = join(root, 'dist/mendlet.js');

describeInWhole('a driver that attaches, on two nodes', () => {
  let lab: Lab;
  let dataDir: string;

  beforeAll(async () => {
    const archive = await exampleDriverArchive();
    lab = await Lab.create({
      nodes: 2,
      clusterCidr: '10.186.0.0/16',
      serverFlags: ['--service-cidr', '10.119.0.0/16', '--node-monitor-grace-period', '6s'],
      agentFlags: ['--image-archive', archive],
    });
    await lab.startServer();
    await Promise.all(lab.nodes.map((node) => node.start(['--kubelet-dir', labKubeletDir(lab, node.name)])));
    dataDir = await installInLab(lab, { attaches: true });
  });
  afterAll(async () => lab?.down());

  const attachments = async (): Promise<readonly string[]> => {
    const path = '{range .items[*]}{.spec.nodeName} {.status.attached}{"\\n"}{end}';
    const out = await lab.kubectl(['get', 'volumeattachments', '-o', `jsonpath=${path}`]);
    return out.split('\n').filter(Boolean).toSorted();
  };
  /** What the storage itself has been told. */
  const attachedTo = (): readonly string[] =>
    readdirSync(join(dataDir, 'volumes'))
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const { attachedTo } = JSON.parse(readFileSync(join(dataDir, 'volumes', name), 'utf8')) as Stored;
        return attachedTo;
      });
  const claim = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      storageClassName: 'csi-disks',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '16Mi' } },
    },
  });
  const user = (name: string, claimName: string, node: string): object =>
    busyboxPod(name, `echo ${name} >>/data/it; sleep 36000`, {
      spec: {
        terminationGracePeriodSeconds: 0,
        nodeSelector: { 'kubernetes.io/hostname': node },
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
      },
      container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    });
  const ready = (pod: string): Promise<string> =>
    lab.kubectl(['wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=300s']);
  const untilDetached = async (): Promise<void> => {
    await until('nothing attached', async () => {
      const left = [...(await attachments()), ...attachedTo()];
      return left.length === 0 ? { value: true } : { last: `${left.join()}\n${lab.serverLog.slice(-1500)}` };
    });
  };

  it('attaches before the pod starts, and detaches when no pod uses the volume', async () => {
    await lab.create(claim('moves'), user('first', 'moves', 'n1'));
    await ready('first');
    expect(await attachments()).toEqual(['n1 true']);
    expect(attachedTo()).toEqual(['n1']);
    await lab.kubectl(['delete', 'pod', 'first']);
    await untilDetached();
  });

  it('gives the volume to another node with its data, and never to two at once', async () => {
    await lab.create(user('second', 'moves', 'n2'));
    await ready('second');
    expect(await lab.kubectl(['exec', 'second', '--', 'cat', '/data/it'])).toBe('first\nsecond\n');
    expect(await attachments()).toEqual(['n2 true']);
    await lab.create(user('third', 'moves', 'n1'));
    await until('the event of a volume that another node has', async () => {
      const last = await lab.kubectl(['events', '--for', 'pod/third']);
      return /FailedAttachVolume.*Multi-Attach error/.test(last) ? { value: true } : { last };
    });
    expect(attachedTo()).toEqual(['n2']);
    await lab.kubectl(['delete', 'pod', 'second']);
    await ready('third');
    expect(attachedTo()).toEqual(['n1']);
    expect(await lab.kubectl(['exec', 'third', '--', 'cat', '/data/it'])).toBe('first\nsecond\nthird\n');
  });

  it('keeps what is attached over the deaths of agent and server', async () => {
    const { metadata } = await lab.read<ObservedPod>('pods/third', { namespace: 'default' });
    const n1 = lab.nodes[0];
    await n1?.stop('SIGKILL');
    await lab.stopServer('SIGKILL');
    await lab.startServer();
    await n1?.start(['--kubelet-dir', labKubeletDir(lab, 'n1')]);
    await ready('third');
    expect((await lab.read<ObservedPod>('pods/third', { namespace: 'default' })).metadata.uid).toBe(metadata.uid);
    expect(attachedTo()).toEqual(['n1']);
    await lab.kubectl(['delete', 'pod', 'third']);
    await untilDetached();
  });

  it('is explained while it is stuck: who has the volume, and which attacher does not run', async () => {
    const why = async (target: string): Promise<string> => {
      const { code, stdout, stderr } = await run(process.execPath, [
        PROGRAM,
        'why',
        target,
        '--kubeconfig',
        lab.kubeconfig,
        '-o',
        'json',
      ]);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    const untilSaid = (target: string, text: RegExp): Promise<Diagnosis> =>
      until<Diagnosis>(`why ${target} says ${String(text)}`, async () => {
        const last = await why(target);
        const diagnosis = JSON.parse(last) as Diagnosis;
        return text.test(diagnosis.findings[0]?.says ?? '') ? { value: diagnosis } : { last };
      });
    await lab.create(user('fourth', 'moves', 'n1'));
    await ready('fourth');
    const node = JSON.parse(await why('node/n1')) as Diagnosis;
    expect(node.state).toContain('CSI driver example.csi.mendlet.dev');
    expect(node.findings.filter(({ id }) => id.startsWith('driver-'))).toEqual([]);
    const scale = (replicas: number): Promise<string> =>
      lab.kubectl(['scale', 'deployment/controller', '-n', 'csi-example', `--replicas=${replicas}`]);
    await scale(0);
    await lab.create(user('fifth', 'moves', 'n2'));
    const held = await untilSaid(
      'pod/fifth',
      /node n1 has: pod fourth runs there, and the volume is free once that pod is gone/,
    );
    expect(held.findings[0]?.try[0]).toMatch(/^kubectl delete pod fourth/);
    await lab.kubectl(['delete', 'pod', 'fourth']);
    const missing =
      /waits to be detached from node n1 by the attacher of driver example.csi.mendlet.dev, which does not run: deployment csi-example\/controller is scaled to 0/;
    const { findings } = await untilSaid('pod/fifth', missing);
    expect(findings[0]).toMatchObject({
      id: 'attacher-missing',
      try: expect.arrayContaining(['mendlet why deployment/controller -n csi-example']),
    });
    const [volume = ''] = (await lab.kubectl(['get', 'pv', '-o', 'name'])).split('\n');
    const [attachment = ''] = (await lab.kubectl(['get', 'volumeattachments', '-o', 'name'])).split('\n');
    await untilSaid(`pv/${volume.split('/')[1] ?? ''}`, missing);
    await untilSaid(`volumeattachment/${attachment.split('/')[1] ?? ''}`, missing);
    await scale(1);
    await ready('fifth');
    const after = JSON.parse(await why('pod/fifth')) as Diagnosis;
    // A node whose lease is late on a busy machine is none of this test's business.
    expect(after.findings.filter(({ id }) => /^(?:volume|attacher|driver)-/.test(id))).toEqual([]);
    await lab.kubectl(['delete', 'pod', 'fifth']);
    await untilDetached();
  });

  it('leaves nothing behind', async () => {
    await lab.kubectl(['delete', 'pvc', 'moves']);
    await until('no volumes', async () => {
      const pv = await lab.kubectl(['get', 'pv', '-o', 'name']);
      const folders = lab.nodes.flatMap(({ name }) => {
        const pods = join(labKubeletDir(lab, name), 'plugins/kubernetes.io/csi');
        return existsSync(pods) ? readdirSync(pods).flatMap((driver) => readdirSync(join(pods, driver))) : [];
      });
      const left = [pv, ...readdirSync(join(dataDir, 'volumes')), ...folders].filter(Boolean);
      return left.length === 0 ? { value: true } : { last: left.join() };
    });
  });
});

interface Diagnosis {
  readonly state: string;
  readonly findings: readonly { readonly id: string; readonly says: string; readonly try: readonly string[] }[];
}

interface Stored {
  readonly attachedTo: readonly string[];
}
