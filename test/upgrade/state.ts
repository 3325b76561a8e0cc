/** The state of a user's machine before an upgrade: every kind of workload, with objects as users write them. */
import { busyboxPod } from '../e2e/harness.ts';

const IMAGE = 'docker.io/library/busybox:latest';
const STAY = ['/bin/sh', '-c', "trap 'exit 0' TERM; while :; do sleep 1 & wait; done"];

/** Fields without meaning, as generators and old tools write them; upstream stores the object without most of them. */
const idle = {
  container: {
    args: [],
    env: [
      { name: 'EMPTY', value: '' },
      { name: 'WHO', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
    volumeMounts: [{ name: 'settings', mountPath: '/settings', readOnly: false, subPath: '' }],
    resources: { requests: { cpu: '0.010', memory: '16384Ki' }, limits: { memory: '0.0625Gi' } },
    stdin: false,
    securityContext: {},
  },
  spec: { hostNetwork: false, hostPID: false, nodeSelector: {}, tolerations: [], initContainers: [] },
};

/** The same container and pod without those fields, in upstream's spelling. */
const canonical = {
  container: {
    env: [{ name: 'EMPTY' }, { name: 'WHO', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    volumeMounts: [{ name: 'settings', mountPath: '/settings' }],
    resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    securityContext: {},
  },
  spec: {},
};

type Form = typeof idle | typeof canonical;

export const idleForm: Form = idle;
export const canonicalForm: Form = canonical;

function template(app: string, form: Form, extra: object = {}): object {
  return {
    metadata: { labels: { app }, ...(form === idle && { creationTimestamp: null, annotations: {} }) },
    spec: {
      ...form.spec,
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: IMAGE, imagePullPolicy: 'IfNotPresent', command: STAY, ...form.container }],
      volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
      ...extra,
    },
  };
}

function workload(kind: string, name: string, spec: object, version = 'apps/v1'): object {
  return { apiVersion: version, kind, metadata: { name, namespace: 'default' }, spec };
}

/** Owners of pods; the upgrade must not start a rollout of their templates. */
export function workloads(form: Form): readonly object[] {
  const of = (app: string) => ({ selector: { matchLabels: { app } }, template: template(app, form) });
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'by-hand', resources: { requests: { storage: '1Mi' } } },
  };
  const jobTemplate = (app: string, command: readonly string[]) => ({
    metadata: { labels: { app } },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: IMAGE, imagePullPolicy: 'IfNotPresent', command }],
    },
  });
  return [
    workload('Deployment', 'web', { replicas: 2, ...of('web') }),
    workload('Deployment', 'idle', { replicas: 0, ...of('idle') }),
    workload('StatefulSet', 'db', { replicas: 2, serviceName: 'db', volumeClaimTemplates: [claim], ...of('db') }),
    workload('DaemonSet', 'logs', of('logs')),
    workload('Job', 'done', { template: jobTemplate('done', ['/bin/true']) }, 'batch/v1'),
    workload('Job', 'works', { template: jobTemplate('works', STAY) }, 'batch/v1'),
    workload(
      'CronJob',
      'yearly',
      { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: jobTemplate('yearly', ['/bin/true']) } } },
      'batch/v1',
    ),
  ];
}

/** Objects that the workloads need, created before them. */
export function surroundings(folder: string): readonly object[] {
  const volume = (n: number) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `by-hand-${n}` },
    spec: {
      capacity: { storage: '1048576' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'by-hand',
      hostPath: { path: `${folder}/volume-${n}`, type: 'DirectoryOrCreate' },
    },
  });
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'blue', empty: '' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password' }, stringData: { password: 'hunter2' } },
    volume(0),
    volume(1),
    localVolume(`${folder}/${HELD_FOLDER}`),
    claim(HELD, { storageClassName: 'by-hand-local' }),
    claim(WAITING, {}),
    workloadService('web', {}),
    workloadService('db', { clusterIP: 'None' }),
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    },
    {
      apiVersion: 'mendlet.dev/v1alpha1',
      kind: 'HealingPolicy',
      metadata: { name: 'climber' },
      spec: {
        selector: { matchLabels: { app: 'climber' } },
        rungs: [{ scope: 'container', attempts: 2, window: '10m' }],
        backOff: { initial: '200ms', factor: 1, cap: '200ms' },
      },
    },
  ];
}

/** A claim with a folder that somebody made by hand, below the test's folder. */
export const HELD = 'held';
export const HELD_FOLDER = 'volume-held';
/** A claim without a class, and the pod that waits for it. */
export const WAITING = 'waits';

function claim(name: string, spec: object): object {
  const size = { resources: { requests: { storage: '1Mi' } } };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], ...size, ...spec },
  };
}

function localVolume(path: string): object {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'Exists' }];
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: HELD },
    spec: {
      capacity: { storage: '1Mi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'by-hand-local',
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  };
}

/** A pod that adds a line to its volume at each start. */
export function claimPod(name: string, claimName: string): object {
  return busyboxPod(name, 'echo start >>/data/starts; sync; exec sleep 36000', {
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
    container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
  });
}

/** The claim of a bare pod, and the StatefulSet with a claim for each pod: the server makes their volumes. */
export const MADE = 'made';
export const LEDGER = 'ledger';
export const LEDGER_PODS: readonly string[] = [`${LEDGER}-0`, `${LEDGER}-1`];

/** What needs volumes that the server makes. A program that makes none leaves it waiting. */
export function madeVolumes(): readonly object[] {
  const storageClassName = 'mendlet-local';
  const { spec } = claimPod(LEDGER, 'data') as { spec: object };
  const { metadata: _, ...template } = claim('data', { storageClassName }) as { metadata: object; spec: object };
  return [
    claim(MADE, { storageClassName }),
    claimPod(MADE, MADE),
    workload('StatefulSet', LEDGER, {
      replicas: LEDGER_PODS.length,
      serviceName: LEDGER,
      selector: { matchLabels: { app: LEDGER } },
      template: { metadata: { labels: { app: LEDGER } }, spec: { ...spec, restartPolicy: 'Always', volumes: [] } },
      volumeClaimTemplates: [{ ...template, metadata: { name: 'data' } }],
    }),
  ];
}

function workloadService(app: string, more: object): object {
  const spec = { selector: { app }, ports: [{ port: 80, name: '', nodePort: 0 }], sessionAffinity: '', ...more };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: app }, spec };
}

/** Pods without an owner: one that keeps running, one in a crash loop, one whose ladder has ended. */
export function barePods(mount: { readonly spec: object; readonly mount: object }): readonly object[] {
  const out = { spec: mount.spec, container: mount.mount };
  const at = '$(cut -d" " -f1 /proc/uptime)';
  return [
    busyboxPod('steady', 'echo start >>/out/steady; exec sleep 36000', {
      spec: { ...mount.spec, hostNetwork: false, tolerations: [] },
      container: { ...mount.mount, args: [], tty: false },
    }),
    busyboxPod(
      'loop',
      `echo start ${at} >>/out/loop; echo "cannot open the ledger"; echo end ${at} >>/out/loop; exit 3`,
      out,
    ),
    busyboxPod('climber', 'echo start >>/out/climber; exit 4', { ...out, metadata: { labels: { app: 'climber' } } }),
  ];
}
