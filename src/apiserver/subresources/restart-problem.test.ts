import { expect, it } from 'vitest';
import { problemOfRestart } from './restart-problem.ts';

const pod = (phase: string, kind?: string, nodeName = 'n1') => ({
  metadata: {
    name: 'x',
    ...(kind === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: 'v1', kind, name: 'web-1', uid: 'u', controller: true }] }),
  },
  spec: { containers: [], nodeName },
  status: { phase },
});

it.each<[string, ReturnType<typeof pod>, boolean, string | undefined]>([
  ['one that runs', pod('Running'), false, undefined],
  ['one that waits for its image', pod('Pending'), false, undefined],
  [
    'one that failed',
    pod('Failed', 'ReplicaSet'),
    false,
    'pod "x" has finished (Failed) and is not run again; ReplicaSet "web-1" replaces it',
  ],
  [
    'one of a job',
    pod('Succeeded', 'Job'),
    false,
    'pod "x" has finished (Succeeded) and is not run again; Job "web-1" decides whether another one runs',
  ],
  [
    'a bare one',
    pod('Succeeded'),
    false,
    'pod "x" has finished (Succeeded) and is not run again; no controller owns it: make it again once it is gone ("kubectl replace --force -f FILE" deletes and makes it)',
  ],
  [
    'a static one',
    pod('Failed', 'Node'),
    false,
    'pod "x" has finished (Failed) and is not run again; it is a static pod, which the agent of Node "web-1" runs again',
  ],
  [
    'one that goes',
    pod('Running', 'DaemonSet'),
    true,
    'pod "x" is being deleted (phase Running); DaemonSet "web-1" replaces it',
  ],
  [
    'one without a node',
    pod('Pending', undefined, ''),
    false,
    'pod "x" has no node yet (phase Pending): nothing of it runs that could be restarted',
  ],
])('%s', (_, given, isDeleting, problem) => expect(problemOfRestart(given, isDeleting)).toBe(problem));
