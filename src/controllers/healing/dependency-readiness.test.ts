import { describe, expect, it } from 'vitest';
import type { Deployment, EndpointSlice, ObjectDependency, Pod, Service, StatefulSet } from '../../api/index.ts';
import { type DependencyView, readinessOf } from './dependency-readiness.ts';

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T00:00:10Z';
const ms = (time: string): number => Date.parse(time);

const pod = (name: string, since: string | undefined, more: Partial<Pod> = {}): Pod => ({
  metadata: { name, namespace: 'shop' },
  spec: { containers: [] },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: since === undefined ? 'False' : 'True', lastTransitionTime: since ?? EARLY }],
  },
  ...more,
});

const slice = (
  endpoints: readonly (readonly [ready: boolean | undefined, pod?: string])[],
  ports: EndpointSlice['ports'] = [{ name: 'sql', port: 5432 }],
): EndpointSlice => ({
  metadata: { name: 's', namespace: 'shop' },
  addressType: 'IPv4',
  ports,
  endpoints: endpoints.map(([ready, name]) => ({
    addresses: ['10.0.0.1'],
    conditions: ready === undefined ? {} : { ready },
    ...(name === undefined ? {} : { targetRef: { kind: 'Pod', namespace: 'shop', name } }),
  })),
});

interface Given {
  readonly slices?: readonly EndpointSlice[];
  readonly service?: Service;
  readonly pods?: readonly Pod[];
  readonly deployment?: Deployment;
  readonly statefulSet?: StatefulSet;
}

function view({ slices = [], service, pods = [], deployment, statefulSet }: Given): DependencyView {
  return {
    service: () => service,
    slices: () => slices,
    pod: (_, name) => pods.find(({ metadata }) => metadata?.name === name),
    deployment: () => deployment,
    statefulSet: () => statefulSet,
    podsOf: () => pods,
  };
}

const dependency = (kind: ObjectDependency['kind'], name: string, port?: string): ObjectDependency => ({
  kind,
  namespace: 'shop',
  name,
  ...(port === undefined ? {} : { port }),
  text: `${kind}/${name}`,
});

const service: Service = {
  metadata: { name: 'db', namespace: 'shop' },
  spec: {
    ports: [
      { name: 'sql', port: 3306 },
      { name: 'admin', port: 80 },
    ],
  },
};

describe('whether a dependency is ready', () => {
  it.each<[string, ObjectDependency, Given, boolean, string?]>([
    ['a service without slices', dependency('Service', 'db'), {}, false],
    ['a service with no endpoint that is ready', dependency('Service', 'db'), { slices: [slice([[false]])] }, false],
    ['a service with one', dependency('Service', 'db'), { slices: [slice([[false], [true]])] }, true],
    ['an endpoint that does not say', dependency('Service', 'db'), { slices: [slice([[undefined]])] }, true],
    [
      'since the oldest of its pods is',
      dependency('Service', 'db'),
      {
        slices: [
          slice([
            [true, 'a'],
            [true, 'b'],
            [false, 'c'],
          ]),
        ],
        pods: [pod('a', LATE), pod('b', EARLY)],
      },
      true,
      EARLY,
    ],
    ['its port by name', dependency('Service', 'db', 'sql'), { slices: [slice([[true]])] }, true],
    ['a port by name that it has not', dependency('Service', 'db', 'web'), { slices: [slice([[true]])] }, false],
    ['its port by number', dependency('Service', 'db', '3306'), { slices: [slice([[true]])], service }, true],
    ['a port behind which nobody is', dependency('Service', 'db', '80'), { slices: [slice([[true]])], service }, false],
    [
      'a port of a service that is not there',
      dependency('Service', 'db', '3306'),
      { slices: [slice([[true]])] },
      false,
    ],
    [
      'a port without a name',
      dependency('Service', 'db', '80'),
      { slices: [slice([[true]], [{ port: 80 }])], service: { spec: { ports: [{ port: 80 }] } } },
      true,
    ],
    ['no pod', dependency('Pod', 'a'), {}, false],
    ['a pod that is not Ready', dependency('Pod', 'a'), { pods: [pod('a', undefined)] }, false],
    ['a pod that is', dependency('Pod', 'a'), { pods: [pod('a', LATE)] }, true, LATE],
    [
      'a pod that ends',
      dependency('Pod', 'a'),
      { pods: [pod('a', LATE, { metadata: { name: 'a', deletionTimestamp: LATE } })] },
      false,
    ],
    ['no deployment', dependency('Deployment', 'a'), {}, false],
    ['a deployment of none', dependency('Deployment', 'a'), { deployment: { status: { replicas: 0 } } }, false],
    [
      'a deployment with one',
      dependency('Deployment', 'a'),
      {
        deployment: {
          status: {
            readyReplicas: 1,
            conditions: [{ type: 'Available', status: 'True', lastTransitionTime: LATE }],
          },
        },
      },
      true,
      LATE,
    ],
    ['a stateful set of none', dependency('StatefulSet', 'a'), { statefulSet: { status: { replicas: 1 } } }, false],
    [
      'a stateful set with one',
      dependency('StatefulSet', 'a'),
      { statefulSet: { status: { replicas: 2, readyReplicas: 1 } }, pods: [pod('a-0', LATE), pod('a-1', undefined)] },
      true,
      LATE,
    ],
  ])('%s', (_, of, given, ready, since) => {
    expect(readinessOf(of, view(given))).toEqual(since === undefined ? { ready } : { ready, since: ms(since) });
  });
});
