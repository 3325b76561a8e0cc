/** Tests the suggested commands: they must fit the fault and its object, and do no more. */
import { expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { configMap, crashed, event, evidence, lastWords, pod, waiting } from '../../evidence.fixtures.ts';
import type { WorkloadObject } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { endedWith, withFiles } from './cases.fixtures.ts';

const deployment: WorkloadObject = { kind: 'Deployment', metadata: { name: 'web' } };

const unscheduled = (message: string, spec: object): Partial<PodEvidence> => ({
  pod: {
    ...pod({
      spec: { nodeName: undefined },
      metadata: { ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true }] },
    }),
    spec: {
      containers: [
        { name: 'web', image: 'i' },
        { name: 'big', image: 'i', ...spec },
      ],
    },
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    },
  },
});

it.each<[string, Partial<PodEvidence>, readonly string[]]>([
  [
    'less of what lacks, where most is asked for',
    unscheduled('0/1 nodes are available: 1 Insufficient cpu.', {
      resources: { requests: { cpu: '64', memory: '1Mi' } },
    }),
    ['kubectl describe nodes', 'kubectl set resources deployment/web -c big --requests=cpu=100m'],
  ],
  [
    'no less of a device',
    unscheduled('0/1 nodes are available: 1 Insufficient example.com/gpu.', {
      resources: { requests: { 'example.com/gpu': '1' } },
    }),
    ['kubectl describe nodes', 'kubectl edit deployment/web'],
  ],
  [
    'the label by which pods are spread',
    unscheduled(
      "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).",
      {},
    ),
    ['kubectl get nodes -L topology.kubernetes.io/zone'],
  ],
  [
    'a peer of its own pod',
    {
      pod: pod({ status: crashed({ exitCode: 1 }) }),
      logs: lastWords("nc: can't connect to remote host (127.0.0.1): Connection refused"),
    },
    ['kubectl logs web-1 -c web --previous', 'kubectl get pod/web-1 -o wide'],
  ],
  [
    'a gate is removed where it is',
    {
      pod: {
        ...pod({ spec: { nodeName: undefined, schedulingGates: [{ name: 'example.com/quota' }] } }),
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
        },
      },
    },
    [
      `kubectl patch pod/web-1 --type=json -p '[{"op":"test","path":"/spec/schedulingGates/0/name","value":"example.com/quota"},{"op":"remove","path":"/spec/schedulingGates/0"}]'`,
    ],
  ],
  [
    'the scheme that the registry was asked by',
    {
      pod: pod({
        container: { image: '10.0.0.1:5000/web:1' },
        status: waiting(
          'ImagePullBackOff',
          'Back-off pulling image "10.0.0.1:5000/web:1": ErrImagePull: failed to do request: Head "http://10.0.0.1:5000/v2/web/manifests/1": dial tcp 10.0.0.1:5000: connect: connection refused',
        ),
      }),
    },
    ['kubectl set image pod/web-1 web=10.0.0.1:5000/web:TAG', 'curl -sSI http://10.0.0.1:5000/v2/  # on node n1'],
  ],
  [
    'the pod template of a job never changes: it is made anew',
    {
      pod: pod({
        status: crashed({ exitCode: 1 }),
        metadata: { ownerReferences: [{ kind: 'Job', name: 'load', controller: true }] },
      }),
      logs: lastWords("sh: can't create /x: Read-only file system"),
    },
    [
      'kubectl get job/load -o yaml | sed /controller-uid/d > load.yaml && ${EDITOR:-vi} load.yaml && kubectl replace --force -f load.yaml',
    ],
  ],
  [
    'the CronJob of a Job, whose next one would have the fault again',
    {
      pod: pod({
        status: crashed({ exitCode: 1 }),
        metadata: { ownerReferences: [{ kind: 'Job', name: 'load-1', controller: true }] },
      }),
      owners: [
        {
          kind: 'Job',
          metadata: {
            name: 'load-1',
            ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'load', uid: 'u', controller: true }],
          },
        },
      ],
      logs: lastWords("sh: can't create /x: Read-only file system"),
    },
    ['kubectl edit cronjob/load'],
  ],
  [
    'the ConfigMap with the fault before what uses it',
    {
      ...endedWith(
        withFiles,
        ['OSError: [Errno 24] Too many open files'],
        [configMap('app', { 'start.sh': 'ulimit -n 32\nexec python3 /app/p.py\n' })],
      ),
      owners: [deployment],
    },
    ['kubectl logs web-1 -c web --previous', 'kubectl edit configmap/app', 'kubectl edit deployment/web'],
  ],
  [
    'the pull secret that the pod names',
    {
      pod: pod({
        spec: { imagePullSecrets: [{ name: 'regcred' }] },
        status: waiting(
          'ImagePullBackOff',
          'Back-off pulling image "registry.example/web:1": ErrImagePull: 401 Unauthorized',
        ),
      }),
      events: [
        event(
          'FailedToRetrieveImagePullSecret',
          'Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.',
        ),
      ],
    },
    [
      'kubectl create secret docker-registry regcred --docker-server=registry.example --docker-username=USER --docker-password=PASSWORD',
    ],
  ],
  [
    'a pull secret for its service account, which new pods alone get',
    {
      pod: pod({
        metadata: { ownerReferences: [{ kind: 'StatefulSet', name: 'web', controller: true }] },
        status: waiting(
          'ImagePullBackOff',
          'Back-off pulling image "registry.example/web:1": ErrImagePull: 401 Unauthorized',
        ),
      }),
    },
    [
      'kubectl create secret docker-registry pull-secret --docker-server=registry.example --docker-username=USER --docker-password=PASSWORD',
      `kubectl patch serviceaccount default -p '{"imagePullSecrets":[{"name":"pull-secret"}]}'`,
      'kubectl delete pod/web-1',
    ],
  ],
  [
    'a sysctl that its node does not allow',
    {
      pod: pod({
        spec: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '65536' }] } },
        podStatus: {
          phase: 'Failed',
          reason: 'SysctlForbidden',
          message: 'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
        },
        metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'web', controller: true }] },
      }),
    },
    ['kubectl edit daemonset/web'],
  ],
  [
    'who answers for names',
    {
      pod: pod({ status: crashed({ exitCode: 1 }) }),
      logs: lastWords("nc: bad address 'db'"),
      services: [
        { namespace: 'shop', name: 'db', missing: false, ready: 1, notReady: 0, clusterIPs: ['10.96.0.7'], ports: [1] },
      ],
    },
    ['kubectl get pods -n kube-system -l k8s-app=kube-dns', 'kubectl get service/kube-dns -n kube-system'],
  ],
  [
    'memory for a job',
    {
      pod: pod({
        container: { resources: { limits: { memory: '64Mi' } } },
        status: crashed({ exitCode: 137, reason: 'OOMKilled' }),
        metadata: { ownerReferences: [{ kind: 'Job', name: 'load', controller: true }] },
      }),
    },
    [
      'kubectl get job/load -o yaml | sed /controller-uid/d > load.yaml && ${EDITOR:-vi} load.yaml && kubectl replace --force -f load.yaml',
    ],
  ],
])('%s', (_, given, commands) => {
  expect(diagnosePod(evidence(given)).findings[0]?.try).toEqual(commands);
});
