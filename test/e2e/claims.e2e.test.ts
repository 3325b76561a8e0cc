/** Tests claims that get folders of the node: from an ordinary StatefulSet to what is left when everything goes. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mendlet, type ObservedPod, until } from './harness.ts';

const IMAGE = 'docker.io/library/busybox:latest';
/** Appends a line for each start, and ends at once on SIGTERM. */
const WRITER = "trap 'exit 0' TERM; echo start >>/data/starts; sync /data/starts; sleep 36000 & wait";

interface Volume {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly local: { readonly path: string }; readonly claimRef?: { readonly name: string } };
  readonly status: { readonly phase: string };
}

/** An ordinary manifest: nothing in it knows of mendlet. */
const database = (replicas: number, version: string) => `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  replicas: ${replicas}
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db }, annotations: { version: "${version}" } }
    spec:
      containers:
        - name: db
          image: ${IMAGE}
          imagePullPolicy: Never
          command: [sh, -c, ${JSON.stringify(WRITER)}]
          volumeMounts: [{ name: data, mountPath: /data }]
  volumeClaimTemplates:
    - metadata: { name: data }
      spec:
        accessModes: [ReadWriteOnce]
        resources: { requests: { storage: 16Mi } }
`;

/** Writes its UID into its volume all the time, and ends on SIGKILL only. */
const STUBBORN = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: stubborn }
spec:
  serviceName: stubborn
  selector: { matchLabels: { app: stubborn } }
  template:
    metadata: { labels: { app: stubborn } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: c
          image: ${IMAGE}
          imagePullPolicy: Never
          command: [sh, -c, "trap '' TERM; while :; do echo $UID >>/data/writers; sleep 0.02; done"]
          env: [{ name: UID, valueFrom: { fieldRef: { fieldPath: metadata.uid } } }]
          volumeMounts: [{ name: data, mountPath: /data }]
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Mi } } }
`;

describe('claims', () => {
  const mendlet = new Mendlet({ podNetwork: 227 });
  beforeAll(() => mendlet.up());
  afterAll(() => mendlet.down());

  const apply = (manifest: string): Promise<string> => mendlet.kubectl(['apply', '-f', '-'], manifest);
  const rolledOut = (): Promise<string> => mendlet.kubectl(['rollout', 'status', 'sts/db', '--timeout=200s']);
  const volumes = async (): Promise<readonly Volume[]> =>
    (await mendlet.read<{ items: readonly Volume[] }>('pv')).items;
  const volumeOf = async (claim: string): Promise<Volume> => {
    const found = (await volumes()).find(({ spec }) => spec.claimRef?.name === claim);
    if (found === undefined) throw new Error(`no volume of ${claim}`);
    return found;
  };
  const starts = async (claim: string): Promise<number> => {
    const { spec } = await volumeOf(claim);
    return readFileSync(join(spec.local.path, 'starts'), 'utf8').split('\n').length - 1;
  };
  const gone = (path: string): Promise<boolean> =>
    until<boolean>(`the end of ${path}`, async () => (existsSync(path) ? { last: 'still there' } : { value: true }));
  const isRunning = ({ status }: ObservedPod): boolean => status.phase === 'Running';

  it('a StatefulSet from anywhere gets its volumes, and the tables and events read as on Kubernetes', async () => {
    await apply(database(2, '1'));
    await rolledOut();
    const classes = await mendlet.kubectl(['get', 'sc', '--no-headers']);
    expect(classes).toMatch(/^mendlet-local \(default\) +mendlet\.dev\/local +Delete +WaitForFirstConsumer +false +/);
    const claims = await mendlet.kubectl(['get', 'pvc', '--no-headers']);
    expect(claims).toMatch(/^data-db-0 +Bound +pvc-[-0-9a-f]{36} +16Mi +RWO +mendlet-local +<unset> +/);
    const listed = await mendlet.kubectl(['get', 'pv', '--no-headers']);
    expect(listed).toMatch(
      /^pvc-[-0-9a-f]{36} +16Mi +RWO +Delete +Bound +default\/data-db-\d +mendlet-local +<unset> +/,
    );
    const events = await mendlet.kubectl(['events', '--for', 'pvc/data-db-0']);
    for (const reason of ['Provisioning', 'ProvisioningSucceeded'])
      expect(events).toMatch(new RegExp(`Normal +${reason} `));
  });

  it('keeps data when pods are deleted, rolled out, scaled away and back, and mendlet is killed', async () => {
    expect(await starts('data-db-1')).toBe(1);
    await mendlet.kubectl(['delete', 'pod', 'db-1']);
    await mendlet.untilPod('db-1', 'runs', isRunning);
    await until('the second start', async () => ((await starts('data-db-1')) === 2 ? { value: true } : { last: '' }));
    await apply(database(2, '2'));
    await rolledOut();
    expect(await starts('data-db-1')).toBe(3);
    await mendlet.kubectl(['scale', 'sts/db', '--replicas=1']);
    await mendlet.kubectl(['wait', '--for=delete', 'pod/db-1', '--timeout=100s']);
    await mendlet.end('SIGKILL');
    await mendlet.up();
    expect(await starts('data-db-1')).toBe(3);
    await mendlet.kubectl(['scale', 'sts/db', '--replicas=2']);
    await rolledOut();
    expect(await starts('data-db-1')).toBe(4);
    // The pod of the killed mendlet ran on.
    expect(await starts('data-db-0')).toBe(2);
  });

  it('a pod deleted by force has ended before the next one of its name gets the volume', async () => {
    await apply(STUBBORN);
    await mendlet.untilPod('stubborn-0', 'runs', isRunning);
    const { uid } = (await mendlet.pod('stubborn-0')).metadata;
    await mendlet.kubectl(['delete', 'pod', 'stubborn-0', '--force', '--grace-period=0']);
    await mendlet.untilPod('stubborn-0', 'again', (pod) => pod.metadata.uid !== uid && isRunning(pod));
    const { spec } = await volumeOf('data-stubborn-0');
    const writers = await until<readonly string[]>('lines of the second', async () => {
      const lines = readFileSync(join(spec.local.path, 'writers'), 'utf8').split('\n').filter(Boolean);
      return new Set(lines).size === 2 ? { value: lines } : { last: `${lines.length} lines of one` };
    });
    expect(writers.lastIndexOf(uid)).toBeLessThan(writers.findIndex((writer) => writer !== uid));
    const events = await mendlet.kubectl(['events', '--for', 'pod/stubborn-0']);
    expect(events).toMatch(
      /Normal +WaitingForEarlierPod .*Containers of an earlier pod of this name still run on this node/,
    );
    await mendlet.kubectl(['delete', 'sts/stubborn', 'pvc/data-stubborn-0', '--now']);
    await gone(spec.local.path);
  });

  it('Delete removes the folder, and Retain keeps it even when the volume is deleted', async () => {
    const [first, second] = [await volumeOf('data-db-0'), await volumeOf('data-db-1')];
    const retain = JSON.stringify({ spec: { persistentVolumeReclaimPolicy: 'Retain' } });
    await mendlet.kubectl(['patch', 'pv', first.metadata.name, '-p', retain]);
    await mendlet.kubectl(['delete', 'sts/db', '--cascade=foreground']);
    await mendlet.kubectl(['delete', 'pvc', 'data-db-0', 'data-db-1']);
    await gone(second.spec.local.path);
    await until('Released', async () => {
      const left = (await volumes()).map(({ metadata, status }) => `${metadata.name} ${status.phase}`);
      return left.join() === `${first.metadata.name} Released` ? { value: true } : { last: left.join() };
    });
    await mendlet.kubectl(['delete', 'pv', first.metadata.name]);
    expect(await volumes()).toEqual([]);
    expect(readdirSync(first.spec.local.path)).toContain('starts');
  });

  it('says why a claim that cannot be has no volume, and why a pod waits for room', async () => {
    const claim = (name: string, mode: string, storage: string) =>
      `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: ${name}}, ` +
      `spec: {accessModes: [${mode}], resources: {requests: {storage: "${storage}"}}}}`;
    const refused = await mendlet.tryKubectl(['apply', '-f', '-'], claim('nothing', 'ReadWriteOnce', '0'));
    expect(refused.stderr).toContain('Invalid value: "0": must be greater than zero');
    const pod = (name: string, claimName: string) =>
      `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: [{name: c, image: ${IMAGE}}], ` +
      `volumes: [{name: v, persistentVolumeClaim: {claimName: ${claimName}}}]}}`;
    await apply(
      [claim('shared', 'ReadWriteMany', '1Mi'), claim('huge', 'ReadWriteOnce', '900Ti'), pod('waits', 'huge')].join(
        '\n---\n',
      ),
    );
    const says = (what: string, text: string): Promise<boolean> =>
      until<boolean>(`${what} says ${text}`, async () => {
        const last = await mendlet.events(what.split('/')[1] ?? '');
        return last.includes(text) ? { value: true } : { last };
      });
    await apply(claim('lonely', 'ReadWriteOnce', '1Mi'));
    await says('pvc/lonely', 'waiting for first consumer to be created before binding');
    await says('pvc/shared', 'access mode ReadWriteMany is not supported');
    await says('pod/waits', 'node(s) did not have enough free storage');
    await mendlet.kubectl(['delete', 'pod/waits', 'pvc/shared', 'pvc/huge', 'pvc/lonely']);
  });

  it('an ephemeral volume comes and goes with its pod', async () => {
    await apply(`
apiVersion: v1
kind: Pod
metadata: { name: scratch }
spec:
  containers:
    - { name: c, image: ${IMAGE}, imagePullPolicy: Never, command: [sh, -c, ${JSON.stringify(WRITER)}], volumeMounts: [{ name: v, mountPath: /data }] }
  volumes:
    - name: v
      ephemeral: { volumeClaimTemplate: { spec: { accessModes: [ReadWriteOncePod], resources: { requests: { storage: 1Mi } } } } }
`);
    await mendlet.untilPod('scratch', 'runs', isRunning);
    const { spec } = await volumeOf('scratch-v');
    expect(existsSync(spec.local.path)).toBe(true);
    await mendlet.kubectl(['delete', 'pod/scratch']);
    await gone(spec.local.path);
  });
});
