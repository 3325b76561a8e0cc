/**
 * Tests stateful and daemon sets and their history by conformance (sig-apps), on real containers with the real kubectl. Each test
 * has its own namespace.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itConcurrentInWhole } from './extent.ts';
import { kubectl120, Mendlet, type ObservedPod, outFolder, until } from './harness.ts';

const IMAGE = 'docker.io/library/busybox:latest';
/** A script whose container is ready while /tmp/ok exists, and that ends at once on SIGTERM. */
const SCRIPT = "trap 'exit 0' TERM; touch /tmp/ok; sleep 36000 & wait";

const mendlet = new Mendlet({ podNetwork: 166 });
beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

interface Listed extends ObservedPod {
  readonly metadata: ObservedPod['metadata'] & { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: ObservedPod['spec'] & {
    readonly containers: readonly { readonly env?: readonly { readonly value?: string }[] }[];
  };
}

/** The helpers of a test in its namespace. */
class Team {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  async kubectl(args: string, input?: string): Promise<string> {
    return mendlet.kubectl(['-n', this.name, ...args.split(' ')], input);
  }

  create(...objects: readonly object[]): Promise<string> {
    return this.kubectl('create -f -', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  }

  patch(what: string, patch: object, ...flags: readonly string[]): Promise<string> {
    return mendlet.kubectl(['-n', this.name, 'patch', what, ...flags, '-p', JSON.stringify(patch)]);
  }

  get<T>(what: string): Promise<T> {
    return mendlet.read<T>(what, { namespace: this.name });
  }

  async pods(): Promise<readonly Listed[]> {
    const { items } = await this.get<{ items: readonly Listed[] }>('pods');
    return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** "web-0=1 web-1=2": pods that are not being deleted, with the value of their variable. */
  async versions(): Promise<string> {
    return (await this.pods())
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, spec }) => `${metadata.name}=${spec.containers[0]?.env?.[0]?.value}`)
      .join(' ');
  }

  async names(): Promise<string> {
    return (await this.pods()).map(({ metadata }) => metadata.name).join(' ');
  }

  rolledOut(what: string): Promise<string> {
    return this.kubectl(`rollout status ${what} --timeout=280s`);
  }

  until(what: string, ask: () => Promise<string>, wanted: string): Promise<string> {
    return until<string>(what, async () => {
      const last = await ask();
      return last === wanted ? { value: last } : { last };
    });
  }
}

async function team(name: string): Promise<Team> {
  await mendlet.kubectl(['create', 'namespace', name]);
  return new Team(name);
}

function templateOf(app: string, version: string, container: object = {}, spec: object = {}): object {
  return {
    metadata: { labels: { app } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'c',
          image: IMAGE,
          imagePullPolicy: 'IfNotPresent',
          command: ['sh', '-c', SCRIPT],
          env: [{ name: 'VERSION', value: version }],
          readinessProbe: { exec: { command: ['cat', '/tmp/ok'] }, periodSeconds: 1, failureThreshold: 1 },
          ...container,
        },
      ],
      ...spec,
    },
  };
}

function web(more: object = {}, template: object = templateOf('web', '1')): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'web', labels: { e2e: 'web' } },
    spec: { serviceName: 'web', replicas: 3, selector: { matchLabels: { app: 'web' } }, template, ...more },
  };
}

function version(value: string): object {
  return { spec: { template: { spec: { containers: [{ name: 'c', env: [{ name: 'VERSION', value }] }] } } } };
}

function daemon(template: object = templateOf('dae', '1'), name = 'dae'): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, labels: { e2e: 'dae' } },
    spec: { selector: { matchLabels: { app: 'dae' } }, template },
  };
}

interface SetStatus {
  readonly metadata: { readonly uid: string };
  readonly status: {
    readonly observedGeneration?: number;
    readonly desiredNumberScheduled?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
  };
}

describe('StatefulSet', () => {
  it.concurrent('keeps names, is updated from the highest down, and rolled back', async () => {
    const t = await team('sts-roll');
    await t.create(web());
    await t.rolledOut('sts/web');
    expect(await t.versions()).toBe('web-0=1 web-1=1 web-2=1');
    expect(await t.kubectl('exec web-1 -- hostname')).toBe('web-1\n');
    expect(await t.kubectl('get sts web')).toMatch(/^NAME +READY +AGE\nweb +3\/3 /);
    const first = (await t.get<SetStatus>('sts/web')).status;
    expect(first.currentRevision).toBe(first.updateRevision);
    await t.patch('sts/web', version('2'));
    await t.rolledOut('sts/web');
    await t.until('the end of the update', () => currentRevisionIsUpdate(t), 'true');
    expect(await t.versions()).toBe('web-0=2 web-1=2 web-2=2');
    expect(await t.kubectl('rollout history sts/web')).toMatch(/^1 +<none>\n2 +<none>$/m);
    await t.kubectl('rollout undo sts/web');
    await t.rolledOut('sts/web');
    expect(await t.versions()).toBe('web-0=1 web-1=1 web-2=1');
    expect((await t.get<SetStatus>('sts/web')).status.updateRevision).toBe(first.updateRevision);
    expect(await t.kubectl('get controllerrevisions')).toContain('statefulset.apps/web');
    const old = await mendlet.tryKubectl(['-n', t.name, 'rollout', 'restart', 'sts/web'], undefined, kubectl120);
    expect(old.code).toBe(0);
    await t.rolledOut('sts/web');
  });

  itConcurrentInWhole('is updated in phases, and a canary that dies comes back as it was', async () => {
    const t = await team('sts-canary');
    await t.create(web());
    await t.rolledOut('sts/web');
    const partition = (value: number) =>
      t.patch('sts/web', { spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: value } } } });
    await partition(3);
    await t.patch('sts/web', version('2'));
    await partition(2);
    await t.rolledOut('sts/web');
    expect(await t.versions()).toBe('web-0=1 web-1=1 web-2=2');
    await t.kubectl('delete pod web-0 web-2 --now');
    await t.rolledOut('sts/web');
    await t.until('both again', () => t.versions(), 'web-0=1 web-1=1 web-2=2');
    await partition(0);
    await t.rolledOut('sts/web');
    expect(await t.versions()).toBe('web-0=2 web-1=2 web-2=2');
  });

  itConcurrentInWhole('halts in order while one is unhealthy', async () => {
    const t = await team('sts-order');
    await t.create(web({ replicas: 1 }));
    await t.rolledOut('sts/web');
    await t.kubectl('exec web-0 -- rm /tmp/ok');
    await t.until('web-0 is not ready', () => readiness(t), 'web-0=False');
    await t.kubectl('scale sts/web --replicas=3');
    await t.until('it is seen', () => t.kubectl('get sts web -o jsonpath={.status.observedGeneration}'), '2');
    expect(await t.names()).toBe('web-0');
    await t.kubectl('exec web-0 -- touch /tmp/ok');
    await t.rolledOut('sts/web');
    expect(await t.names()).toBe('web-0 web-1 web-2');
    for (const name of ['web-0', 'web-1', 'web-2']) await t.kubectl(`exec ${name} -- rm /tmp/ok`);
    await t.until('none is ready', () => readiness(t), 'web-0=False web-1=False web-2=False');
    await t.kubectl('scale sts/web --replicas=0');
    await t.until('it is seen', () => t.kubectl('get sts web -o jsonpath={.status.observedGeneration}'), '3');
    expect(await t.names()).toBe('web-0 web-1 web-2');
    // Now the highest pod is the first unhealthy one, and may be deleted.
    for (const name of ['web-0', 'web-1']) await t.kubectl(`exec ${name} -- touch /tmp/ok`);
    await t.until('none', () => t.names(), '');
    const told = await t.kubectl('get events --field-selector involvedObject.kind=StatefulSet');
    expect(told).toContain('delete Pod web-2 in StatefulSet web successful');
  });

  itConcurrentInWhole('waits for nobody with Parallel', async () => {
    const t = await team('sts-burst');
    const never = templateOf('web', '1', { command: ['sleep', '3600'] });
    await t.create(web({ podManagementPolicy: 'Parallel', ordinals: { start: 4 } }, never));
    await t.until('all at once', () => t.names(), 'web-4 web-5 web-6');
    await t.kubectl('scale sts/web --replicas=1');
    await t.until('one', () => t.names(), 'web-4');
    // A bad version is replaced even though it never got ready.
    await t.patch('sts/web', version('2'));
    await t.until('the next version', () => t.versions(), 'web-4=2');
  });

  itConcurrentInWhole('makes a pod that is rejected again until it fits', async () => {
    const t = await team('sts-evicted');
    const port = { ports: [{ containerPort: 21017, hostPort: 21017 }] };
    const holder = { ...port, name: 'c', image: IMAGE, imagePullPolicy: 'IfNotPresent', command: ['sleep', '3600'] };
    const spec = { nodeName: 'e2e', terminationGracePeriodSeconds: 0, containers: [holder] };
    await t.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'holder' }, spec });
    await t.kubectl('wait pod/holder --for=condition=Ready --timeout=280s');
    await t.create(web({ replicas: 1 }, templateOf('web', '1', port, { nodeName: 'e2e' })));
    const uids = new Set<string>();
    await until('three pods of that name', async () => {
      for (const { metadata } of await t.pods()) if (metadata.name === 'web-0') uids.add(metadata.uid);
      return uids.size >= 3 ? { value: uids } : { last: String(uids.size) };
    });
    await t.kubectl('delete pod holder --now');
    await t.rolledOut('sts/web');
  });

  itConcurrentInWhole('is scaled, patched, listed, told about and deleted like any other', async () => {
    const t = await team('sts-api');
    await t.create(web({ replicas: 1 }));
    await t.rolledOut('sts/web');
    const path = `/apis/apps/v1/namespaces/${t.name}/statefulsets`;
    const scale = JSON.parse(await t.kubectl(`get --raw ${path}/web/scale`)) as object;
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 1 }, status: { replicas: 1, selector: 'app=web' } });
    await t.patch('sts/web', { spec: { replicas: 2 } }, '--subresource=scale', '--type=merge');
    await t.rolledOut('sts/web');
    expect(await t.names()).toBe('web-0 web-1');
    const conditions = [{ type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from e2e test' }];
    await t.patch('sts/web', { status: { conditions } }, '--subresource=status');
    await t.kubectl('scale sts/web --replicas=1');
    await t.until('one', () => t.names(), 'web-0');
    expect((await t.get<SetStatus>('sts/web')).status.conditions).toMatchObject([{ message: 'Set from e2e test' }]);
    const refused = await mendlet.tryKubectl(['-n', t.name, 'patch', 'sts/web', '-p', '{"spec":{"serviceName":"x"}}']);
    expect(refused.stderr).toContain("updates to statefulset spec for fields other than 'replicas', 'ordinals'");
    expect(await mendlet.kubectl(['get', 'sts', '-A', '-l', 'e2e=web'])).toContain('sts-api');
    await t.kubectl('delete sts -l e2e=web');
    await t.until('none', () => t.names(), '');
  });

  it.concurrent('claims storage for each member', async () => {
    const t = await team('sts-claims');
    const claim = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Mi' } },
      storageClassName: 'x',
    };
    const template = templateOf('web', '1', { volumeMounts: [{ name: 'data', mountPath: '/data' }] });
    const claiming = {
      podManagementPolicy: 'Parallel',
      replicas: 2,
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    };
    await t.create(web(claiming, template));
    const claims = async (): Promise<string> =>
      (await t.get<{ items: readonly Listed[] }>('pvc')).items.map(({ metadata }) => metadata.name).join(' ');
    await t.until('both claims', claims, 'data-web-0 data-web-1');
    expect(await t.kubectl('get pvc')).toMatch(/^NAME +STATUS +VOLUME +CAPACITY +ACCESS MODES +STORAGECLASS/);
    await t.kubectl('scale sts/web --replicas=1');
    await t.until('one claim', claims, 'data-web-0');
    await t.kubectl('delete sts web');
    await t.until('no claim', claims, '');
  });
});

itConcurrentInWhole('what a member wrote is there for the next of its name', async () => {
  const t = await team('storage');
  const path = outFolder(mendlet, 'storage').path;
  const storage = { storageClassName: 'e2e-manual', accessModes: ['ReadWriteOnce'] };
  const volume = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      ...storage,
      capacity: { storage: '1Gi' },
      hostPath: { path: `${path}/${name}`, type: 'DirectoryOrCreate' },
    },
  });
  const script = `echo $HOSTNAME >>/data/names; ${SCRIPT}`;
  const container = { command: ['sh', '-c', script], volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const claim = { ...storage, resources: { requests: { storage: '1Mi' } } };
  const claims = { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }], replicas: 2 };
  await t.create(web(claims, templateOf('web', '1', container)));
  await until('the pod says what it waits for', async () => {
    const last = await t.kubectl('get events');
    return last.includes('pod has unbound immediate PersistentVolumeClaims') ? { value: last } : { last };
  });
  await t.create(volume('e2e-storage-1'), volume('e2e-storage-2'));
  await t.rolledOut('sts/web');
  expect(await t.kubectl('get pvc data-web-0')).toMatch(/data-web-0 +Bound +e2e-storage-1 +1Gi +RWO +e2e-manual/);
  expect(await mendlet.kubectl(['get', 'pv', 'e2e-storage-2'])).toMatch(/ Retain +Bound +storage\/data-web-1 /);
  await t.kubectl('delete pod web-0 web-1 --now');
  await t.rolledOut('sts/web');
  expect(await t.kubectl('exec web-1 -- cat /data/names')).toBe('web-1\nweb-1\n');
  await t.kubectl('delete pvc data-web-1 --wait=false');
  await t.kubectl('scale sts/web --replicas=1');
  await t.until('its end', () => t.kubectl('get pvc -o jsonpath={.items[*].metadata.name}'), 'data-web-0');
  await t.until(
    'the volume is released',
    () => mendlet.kubectl(['get', 'pv', 'e2e-storage-2', '-o', 'jsonpath={.status.phase}']),
    'Released',
  );
});

describe('DaemonSet', () => {
  it.concurrent('runs where the label is, and what fails there is replaced', async () => {
    const t = await team('ds-label');
    await t.create(daemon(templateOf('dae', '1', {}, { nodeSelector: { 'e2e.color': 'blue' } })));
    await t.until('it is seen', async () => String((await t.get<SetStatus>('ds/dae')).status.observedGeneration), '1');
    expect(await t.names()).toBe('');
    await mendlet.kubectl(['label', 'node', 'e2e', 'e2e.color=blue']);
    await t.until('one', () => scheduled(t), '1');
    await t.rolledOut('ds/dae');
    expect(await t.kubectl('get ds dae')).toMatch(
      /^NAME +DESIRED +CURRENT +READY +UP-TO-DATE +AVAILABLE +NODE SELECTOR +AGE\ndae +1 +1 +1 +1 +1 +e2e.color=blue/,
    );
    const failed = await t.names();
    await t.patch(`pod/${failed}`, { status: { phase: 'Failed' } }, '--subresource=status');
    await until('another one', async () => {
      const last = await t.names();
      return last !== '' && !last.includes(failed) ? { value: last } : { last };
    });
    expect(await t.kubectl('get events')).toContain(`Found failed daemon pod ds-label/${failed} on node e2e`);
    await mendlet.kubectl(['label', 'node', 'e2e', 'e2e.color=green', '--overwrite']);
    await t.until('none', () => t.names(), '');
    await mendlet.kubectl(['label', 'node', 'e2e', 'e2e.color-']);
  });

  itConcurrentInWhole('is updated, with surge too, and rolled back', async () => {
    const t = await team('ds-roll');
    await t.create(daemon());
    await t.rolledOut('ds/dae');
    await t.patch('ds/dae', version('2'));
    await t.rolledOut('ds/dae');
    expect(await t.versions()).toMatch(/=2$/);
    const surge = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    await t.patch('ds/dae', { spec: { updateStrategy: surge } });
    const bad = { spec: { template: { spec: { containers: [{ name: 'c', image: 'foo:non-existent' }] } } } };
    const [before] = await t.pods();
    await t.patch('ds/dae', bad);
    await until('two side by side', async () => {
      const pods = await t.pods();
      return pods.length === 2 ? { value: pods } : { last: String(pods.length) };
    });
    await t.kubectl('rollout undo ds/dae');
    await t.rolledOut('ds/dae');
    await until('the good one alone', async () => {
      const pods = await t.pods();
      return pods.length === 1 ? { value: pods } : { last: String(pods.length) };
    });
    // The pod that was good all the time was never restarted.
    const [after] = await t.pods();
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(await t.kubectl('rollout history ds/dae')).toMatch(/^1 +<none>\n3 +<none>\n4 +<none>$/m);
  });

  itConcurrentInWhole('is told about, left to itself, taken over again, and deleted', async () => {
    const t = await team('ds-api');
    await t.create(daemon());
    await t.rolledOut('ds/dae');
    const conditions = [{ type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from e2e test' }];
    await t.patch('ds/dae', { status: { conditions } }, '--subresource=status');
    expect((await t.get<SetStatus>('ds/dae')).status.conditions).toMatchObject([{ message: 'Set from e2e test' }]);
    const [before] = await t.pods();
    await t.kubectl('delete ds dae --cascade=orphan');
    await t.create(daemon());
    await t.rolledOut('ds/dae');
    const after = await t.pods();
    expect(after.map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
    await t.kubectl('delete ds -l e2e=dae');
    await t.until('none', () => t.names(), '');
    await t.until('no history', () => t.kubectl('get controllerrevisions -o name'), '');
  });
});

itConcurrentInWhole('a ControllerRevision is made, changed, listed and deleted like any other', async () => {
  const t = await team('history');
  await t.create(daemon());
  await t.rolledOut('ds/dae');
  const [first] = (await t.kubectl('get controllerrevisions -l app=dae -o name')).split('\n');
  const data = JSON.parse(await t.kubectl(`get ${first} -o jsonpath={.data}`)) as object;
  const own = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'own' }, data, revision: 7 };
  await t.create(own);
  await t.kubectl('label controllerrevisions own mine=yes');
  expect(await mendlet.kubectl(['get', 'controllerrevisions', '-A', '-l', 'mine=yes'])).toMatch(/own +<none> +7 /);
  const refused = await mendlet.tryKubectl([
    '-n',
    t.name,
    'patch',
    'controllerrevision/own',
    '--type=merge',
    '-p',
    '{"data":null}',
  ]);
  expect(refused.stderr).toContain('data is mandatory');
  await t.kubectl('replace -f -', JSON.stringify({ ...own, revision: 8 }));
  expect(await t.kubectl('get controllerrevisions own -o jsonpath={.revision}')).toBe('8');
  await t.kubectl('delete controllerrevision own');
  await t.kubectl('delete controllerrevisions -l app=dae');
  await until('the daemon set records itself again', async () => {
    await t.kubectl('annotate ds dae look=again --overwrite');
    const last = await t.kubectl('get controllerrevisions -l app=dae -o name');
    return last === '' ? { last } : { value: last };
  });
});

async function currentRevisionIsUpdate(t: Team): Promise<string> {
  const { status } = await t.get<SetStatus>('sts/web');
  return String(status.currentRevision === status.updateRevision);
}

async function scheduled(t: Team): Promise<string> {
  return String((await t.get<SetStatus>('ds/dae')).status.desiredNumberScheduled);
}

/** "web-0=True web-1=False". */
async function readiness(t: Team): Promise<string> {
  return (await t.pods())
    .map(({ metadata, status }) => {
      const ready = status.conditions?.find(({ type }) => type === 'Ready');
      return `${metadata.name}=${ready?.status}`;
    })
    .join(' ');
}
