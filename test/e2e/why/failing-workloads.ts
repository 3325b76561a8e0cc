/** Workloads that fail, with the first finding of `mendlet why`. */
import { busyboxPod } from '../harness.ts';

export interface FailingWorkload {
  readonly target: string;
  readonly namespace?: string;
  readonly finding: string;
  /** Texts that must be quoted or said. */
  readonly quotes: readonly string[];
  /** The id of another finding that must be present. */
  readonly also?: string;
  readonly objects: readonly object[];
}

interface Template {
  readonly metadata: object;
  readonly spec: object;
}

function template(app: string, script: string, extra: Parameters<typeof busyboxPod>[2] = {}): Template {
  const { spec } = busyboxPod(app, script, extra) as { spec: object };
  return { metadata: { labels: { app } }, spec };
}

function deployment(name: string, replicas: number, pods: Template, spec: object = {}, namespace?: string): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: pods, ...spec },
  };
}

const sleep = 'exec sleep 36000';

export const failingWorkloads: readonly FailingWorkload[] = [
  {
    target: 'deploy/crashing',
    finding: 'out-of-memory',
    quotes: ['3 of 3 pods', 'OOMKilled', 'kubectl set resources deployment/crashing -c main --limits=memory=32Mi'],
    objects: [
      deployment(
        'crashing',
        3,
        template('crashing', 'tail /dev/zero', {
          container: { resources: { limits: { memory: '16Mi' }, requests: { memory: '8Mi' } } },
        }),
      ),
    ],
  },
  {
    target: 'deploy/stuck-rollout',
    finding: 'image-never-pulled',
    also: 'progress-deadline',
    quotes: ['ProgressDeadlineExceeded', 'kubectl rollout history deployment/stuck-rollout'],
    objects: [
      deployment(
        'stuck-rollout',
        1,
        template('stuck-rollout', sleep, {
          container: { image: 'docker.io/library/none:2', imagePullPolicy: 'Never' },
        }),
        { progressDeadlineSeconds: 3 },
      ),
    ],
  },
  {
    target: 'deploy/quota',
    namespace: 'tight',
    finding: 'quota-exceeded',
    quotes: ['exceeded quota: few', 'kubectl -n tight describe resourcequota few'],
    objects: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tight' } },
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'few', namespace: 'tight' },
        spec: { hard: { pods: '0' } },
      },
      deployment('quota', 2, template('quota', sleep), {}, 'tight'),
    ],
  },
  {
    target: 'deploy/limited',
    namespace: 'limited',
    finding: 'limit-range',
    quotes: ['maximum cpu usage per Container'],
    objects: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'limited' } },
      {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'small', namespace: 'limited' },
        spec: { limits: [{ type: 'Container', max: { cpu: '100m' } }] },
      },
      deployment(
        'limited',
        1,
        template('limited', sleep, { container: { resources: { limits: { cpu: '2' } } } }),
        {},
        'limited',
      ),
    ],
  },
  {
    target: 'job/gives-up',
    finding: 'missing-data',
    also: 'job-failed',
    quotes: ['BackoffLimitExceeded', 'spec.backoffLimit', 'no such table'],
    objects: [
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'gives-up' },
        spec: {
          backoffLimit: 0,
          template: {
            spec: template('gives-up', 'echo no such table; exit 4', { spec: { restartPolicy: 'Never' } }).spec,
          },
        },
      },
    ],
  },
  {
    target: 'deploy/cascade',
    finding: 'liveness-cascade',
    also: 'liveness-failing',
    quotes: ['3 of 3 pods of deployment/cascade', 'failed liveness probe'],
    objects: [
      deployment(
        'cascade',
        3,
        template('cascade', sleep, {
          container: {
            livenessProbe: {
              initialDelaySeconds: 2,
              periodSeconds: 1,
              failureThreshold: 1,
              exec: { command: ['sh', '-c', 'echo database is slow; exit 1'] },
            },
          },
        }),
      ),
    ],
  },
  {
    target: 'sts/first-fails',
    finding: 'exit-code',
    also: 'ordered-start',
    quotes: ['first-fails-0', 'cannot open journal'],
    objects: [
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'first-fails' },
        spec: {
          replicas: 2,
          serviceName: 'first-fails',
          selector: { matchLabels: { app: 'first-fails' } },
          template: template('first-fails', 'echo cannot open journal; exit 5', {
            container: { readinessProbe: { initialDelaySeconds: 60, exec: { command: ['true'] } } },
          }),
        },
      },
    ],
  },
];

/** Objects that must have no findings. */
export const healthyObjects: readonly object[] = [
  busyboxPod('well', sleep),
  busyboxPod('well-probed', 'mkdir -p /www; echo ok >/www/index.html; exec httpd -f -p 8080 -h /www', {
    container: {
      // The probe is patient enough for a busy machine.
      startupProbe: { periodSeconds: 5, timeoutSeconds: 60, failureThreshold: 300, tcpSocket: { port: 8080 } },
      livenessProbe: { periodSeconds: 1, timeoutSeconds: 60, failureThreshold: 30, httpGet: { path: '/', port: 8080 } },
      readinessProbe: { periodSeconds: 1, timeoutSeconds: 60, httpGet: { path: '/', port: 8080 } },
    },
  }),
  // The pod complains in its log, and keeps running.
  busyboxPod(
    'well-complaining',
    `echo "dial tcp 10.0.0.1:1: connect: connection refused"; echo Permission denied; ${sleep}`,
  ),
  // The pod is still within the time that its probe allows.
  busyboxPod('well-starting', sleep, {
    container: { startupProbe: { periodSeconds: 1, failureThreshold: 3600, exec: { command: ['false'] } } },
  }),
  busyboxPod('well-done', 'exit 0', { spec: { restartPolicy: 'Never' } }),
  busyboxPod('well-optional', sleep, {
    container: { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'absent', key: 'x', optional: true } } }] },
  }),
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'odd-names' }, data: { '1.odd': 'x', good: 'y' } },
  busyboxPod('well-odd-names', sleep, { container: { envFrom: [{ configMapRef: { name: 'odd-names' } }] } }),
  // The pod uses all of its limit, and nothing fails for it.
  busyboxPod('well-busy', 'while :; do :; done', { container: { resources: { limits: { cpu: '20m' } } } }),
  busyboxPod('well-restarted', sleep),
  busyboxPod('well-ending', 'trap "" TERM; while :; do sleep 1; done', {
    spec: { terminationGracePeriodSeconds: 3600 },
  }),
  deployment('well-deployed', 2, template('well-deployed', sleep)),
  deployment('well-empty', 0, template('well-empty', sleep)),
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'well-finished' },
    spec: {
      template: { spec: template('well-finished', 'exit 0', { spec: { restartPolicy: 'Never' } }).spec },
    },
  },
];

export const healthyTargets: readonly string[] = [
  'pod/well',
  'pod/well-probed',
  'pod/well-complaining',
  'pod/well-starting',
  'pod/well-done',
  'pod/well-optional',
  'pod/well-odd-names',
  'pod/well-busy',
  'pod/well-restarted',
  'deploy/well-deployed',
  'deploy/well-empty',
  'job/well-finished',
];

/** What is quoted below those that log an error and go on. */
export const lastErrorsOfHealthy: Readonly<Record<string, string>> = {
  'pod/well-complaining':
    '      the last error in the log of main, after which it went on: Permission denied (kubectl -n default logs well-complaining -c main)\n',
};
