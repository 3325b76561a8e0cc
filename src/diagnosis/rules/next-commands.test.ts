/** What is said to type next: it must fit the kind of what is wrong, and do no more than that. */
import { expect, it } from 'vitest';
import { diagnosePod } from '../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod, waiting } from '../evidence.fixtures.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';

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
