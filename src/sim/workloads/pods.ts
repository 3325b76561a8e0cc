/** Pods that are each sick in one way, with the state that they must reach without disturbance. */
import type { Container, Pod } from '../../api/index.ts';
import type { Random } from '../../lib/index.ts';
import { TEAM_LABEL } from './services.ts';
import { HEALING_KINDS } from './healing-pods.ts';
import { between, container, type Patient, probe } from './patients.ts';

/** The name of the ConfigMap that a pod may need. */
export const CONFIG_NAME = 'settings';

type Make = (random: Random) => Patient;

const KINDS: readonly Make[] = [
  (random) => ({
    kind: 'healthy',
    expect: 'ready',
    spec: {
      containers: [
        container(
          'main',
          { readyAfterMs: between(random, 0, 5000) },
          { readinessProbe: probe(), livenessProbe: probe({ initialDelaySeconds: 10 }) },
        ),
      ],
    },
  }),
  (random) => ({
    kind: 'crashing',
    expect: 'restarting',
    spec: { containers: [container('main', { exitAfterMs: [50, between(random, 1000, 30_000)], exitCode: 1 })] },
  }),
  () => ({
    kind: 'storm',
    expect: 'restarting',
    spec: { containers: [container('main', { exitAfterMs: [0, 20], exitCode: 2 })] },
  }),
  () => ({
    kind: 'oom',
    expect: 'restarting',
    spec: {
      containers: [
        container(
          'main',
          { exitAfterMs: [500, 5000], oom: true },
          { resources: { limits: { memory: '64Mi' }, requests: { memory: '64Mi' } } },
        ),
      ],
    },
  }),
  (random) => ({
    kind: 'frozen',
    expect: 'restarting',
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [
        container(
          'main',
          { frozenAfterMs: between(random, 3000, 40_000), ignoreTerm: random.next() < 0.5 },
          { livenessProbe: probe() },
        ),
      ],
    },
  }),
  (random) => ({
    kind: 'slow-start',
    expect: 'ready',
    spec: {
      containers: [
        container(
          'main',
          { readyAfterMs: between(random, 5000, 40_000) },
          { startupProbe: probe({ failureThreshold: 40 }), livenessProbe: probe(), readinessProbe: probe() },
        ),
      ],
    },
  }),
  (random) => {
    const from = between(random, 5000, 60_000);
    const failsMs = [from, from + between(random, 5000, 60_000)] as const;
    return {
      kind: 'moody',
      expect: 'ready',
      spec: { containers: [container('main', { failsMs }, { readinessProbe: probe() })] },
    };
  },
  (random) => ({
    kind: 'job',
    expect: 'succeeded',
    spec: {
      restartPolicy: 'OnFailure',
      containers: [container('main', { exitAfterMs: [100, between(random, 1000, 60_000)] })],
    },
  }),
  () => ({
    kind: 'failing-once',
    expect: 'failed',
    spec: { restartPolicy: 'Never', containers: [container('main', { exitAfterMs: [100, 10_000], exitCode: 3 })] },
  }),
  (random) => ({
    kind: 'with-init',
    expect: 'ready',
    spec: {
      initContainers: [
        container('first', { exitAfterMs: [100, 2000] }),
        container('second', { exitAfterMs: [0, between(random, 1, 5000)] }),
      ],
      containers: [container('main', {}), container('helper', { stopMs: 2000 })],
    },
  }),
  () => ({
    kind: 'stubborn',
    expect: 'ready',
    spec: {
      terminationGracePeriodSeconds: 20,
      containers: [container('main', { ignoreTerm: true }), container('polite', {})],
    },
  }),
  () => ({
    kind: 'hooked',
    expect: 'ready',
    spec: {
      terminationGracePeriodSeconds: 10,
      containers: [
        container('main', { stopMs: 500 }, { lifecycle: { preStop: { exec: { command: ['sleep', '2'] } } } }),
      ],
    },
  }),
  (random) => ({
    kind: 'with-sidecar',
    expect: 'ready',
    spec: {
      initContainers: [
        container(
          'proxy',
          { readyAfterMs: between(random, 0, 5000) },
          { restartPolicy: 'Always', startupProbe: probe({ failureThreshold: 20 }) },
        ),
        container('first', { exitAfterMs: [100, 2000] }),
      ],
      containers: [container('main', {})],
    },
  }),
  (random) => ({
    kind: 'restart-all',
    expect: 'restarting',
    spec: {
      initContainers: [
        container('first', { exitAfterMs: [100, 2000] }),
        container('proxy', { stopMs: 300 }, { restartPolicy: 'Always' }),
      ],
      terminationGracePeriodSeconds: 5,
      containers: [
        container(
          'main',
          { exitAfterMs: [500, between(random, 1000, 20_000)], exitCode: 42 },
          {
            restartPolicy: 'Never',
            restartPolicyRules: [
              { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } },
              // After a kill from outside, only this container restarts.
              { action: 'Restart', exitCodes: { operator: 'NotIn', values: [0, 42] } },
            ],
          },
        ),
        container('helper', { stopMs: 2000 }),
      ],
    },
  }),
  (random) => ({
    kind: 'two-sidecars',
    expect: 'ready',
    spec: {
      terminationGracePeriodSeconds: 15,
      initContainers: [
        container(
          'outer',
          { stopMs: 1000, readyAfterMs: between(random, 0, 3000) },
          { restartPolicy: 'Always', startupProbe: probe({ failureThreshold: 20 }) },
        ),
        container('first', { exitAfterMs: [100, 2000] }),
        container(
          'inner',
          { stopMs: 500 },
          { restartPolicy: 'Always', lifecycle: { preStop: { exec: { command: ['sleep', '1'] } } } },
        ),
      ],
      containers: [container('main', { stopMs: between(random, 100, 8000) })],
    },
  }),
  () => ({
    kind: 'job-with-sidecar',
    expect: 'succeeded',
    spec: {
      restartPolicy: 'OnFailure',
      initContainers: [container('proxy', { ignoreTerm: true }, { restartPolicy: 'Always' })],
      terminationGracePeriodSeconds: 5,
      containers: [container('main', { exitAfterMs: [100, 20_000] })],
    },
  }),
  (random) => ({
    kind: 'with-volumes',
    expect: 'ready',
    needsConfigAfterMs: between(random, 0, 60_000),
    spec: {
      volumes: [
        { name: 'scratch', emptyDir: {} },
        { name: 'memory', emptyDir: { medium: 'Memory' } },
        { name: 'settings', configMap: { name: CONFIG_NAME } },
      ],
      containers: [
        container(
          'main',
          {},
          {
            envFrom: [{ configMapRef: { name: CONFIG_NAME } }],
            volumeMounts: [
              { name: 'scratch', mountPath: '/scratch' },
              { name: 'memory', mountPath: '/memory' },
              { name: 'settings', mountPath: '/settings' },
            ],
          },
        ),
      ],
    },
  }),
  (random) => ({
    kind: 'overdue',
    expect: 'failed',
    spec: {
      activeDeadlineSeconds: between(random, 5, 60),
      restartPolicy: 'OnFailure',
      containers: [container('main', { exitAfterMs: [1000, 90_000], exitCode: 1 })],
    },
  }),
];

/** Share of pods with a healing policy. */
const HEALING_SHARE = 0.3;

/** A random pod. */
export function drawPatient(random: Random): Patient {
  const kinds = random.next() < HEALING_SHARE ? HEALING_KINDS : KINDS;
  const make = kinds[Math.floor(random.next() * kinds.length)] as Make;
  return make(random);
}

export function podOf(namespace: string, name: string, { kind, spec, annotations = {} }: Patient, team: string): Pod {
  const metadata = { namespace, name, labels: { kind, [TEAM_LABEL]: team }, annotations: { ...annotations } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

/** An ephemeral container. */
export function visitor(exitAfterMs: readonly [number, number] | undefined): Container {
  return container('visitor', { serves: false, ...(exitAfterMs === undefined ? {} : { exitAfterMs }) });
}
