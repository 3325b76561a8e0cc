import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../registry/object.ts';
import { eventTable } from './events.ts';
import { nodeTable } from './nodes.ts';
import { podTable, summarizePod } from './pods.ts';
import { configMapTable, leaseTable, namespaceTable, secretTable, serviceAccountTable } from './small.ts';
import { defaultTable, type TableKind } from './table.ts';

const now = Date.UTC(2026, 0, 1, 1);
const created = '2026-01-01T00:00:00Z';

function header(table: TableKind, wide: boolean): string {
  return table.columns
    .filter((column) => column.priority === 0 || wide)
    .map((column) => column.name.toUpperCase())
    .join(' | ');
}

describe('columns', () => {
  it.each([
    ['pods', podTable, 'NAME | READY | STATUS | RESTARTS | AGE', ' | IP | NODE | NOMINATED NODE | READINESS GATES'],
    [
      'nodes',
      nodeTable,
      'NAME | STATUS | ROLES | AGE | VERSION',
      ' | INTERNAL-IP | EXTERNAL-IP | OS-IMAGE | KERNEL-VERSION | CONTAINER-RUNTIME',
    ],
    ['namespaces', namespaceTable, 'NAME | STATUS | AGE', ''],
    ['configmaps', configMapTable, 'NAME | DATA | AGE', ''],
    ['secrets', secretTable, 'NAME | TYPE | DATA | AGE', ''],
    ['leases', leaseTable, 'NAME | HOLDER | AGE', ''],
    ['serviceaccounts', serviceAccountTable, 'NAME | AGE', ''],
    ['others', defaultTable, 'NAME | CREATED AT', ''],
  ])('of %s', (_, table, narrow, more) => {
    expect(header(table, false)).toBe(narrow);
    expect(header(table, true)).toBe(narrow + more);
  });

  it('of events', () => {
    expect(header(eventTable, false)).toBe('LAST SEEN | TYPE | REASON | OBJECT | MESSAGE');
    expect(header(eventTable, true)).toBe(
      'LAST SEEN | TYPE | REASON | OBJECT | SUBOBJECT | SOURCE | MESSAGE | FIRST SEEN | COUNT | NAME',
    );
  });
});

type Status = Readonly<Record<string, unknown>>;

function container(name: string, more: Status): Status {
  return { name, ready: false, restartCount: 0, image: 'x', imageID: '', ...more };
}

const running = { running: { startedAt: created } };
const waiting = (reason: string) => ({ waiting: { reason } });
const terminated = (more: Status) => ({ terminated: { exitCode: 1, ...more } });

interface Case {
  readonly spec?: Status;
  readonly status?: Status;
  readonly metadata?: Status;
}

function pod({ spec, status, metadata }: Case): ApiObject {
  return {
    metadata: { name: 'p', creationTimestamp: created, ...metadata },
    spec: { containers: [{ name: 'a' }], ...spec },
    status: { phase: 'Running', ...status },
  };
}

const init = { initContainers: [{ name: 'i' }, { name: 'j' }] };
const sidecar = { initContainers: [{ name: 's', restartPolicy: 'Always' }] };

describe('STATUS of a pod', () => {
  it.each<[string, Case, string, string]>([
    ['pending', { status: { phase: 'Pending' } }, '0/1', 'Pending'],
    ['evicted', { status: { phase: 'Failed', reason: 'Evicted' } }, '0/1', 'Evicted'],
    [
      'gated',
      {
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
        },
      },
      '0/1',
      'SchedulingGated',
    ],
    [
      'creating',
      { status: { phase: 'Pending', containerStatuses: [container('a', { state: waiting('ContainerCreating') })] } },
      '0/1',
      'ContainerCreating',
    ],
    ['running', { status: { containerStatuses: [container('a', { state: running, ready: true })] } }, '1/1', 'Running'],
    [
      'crash looping',
      { status: { containerStatuses: [container('a', { state: waiting('CrashLoopBackOff') })] } },
      '0/1',
      'CrashLoopBackOff',
    ],
    [
      'completed',
      {
        status: {
          phase: 'Succeeded',
          containerStatuses: [container('a', { state: terminated({ exitCode: 0, reason: 'Completed' }) })],
        },
      },
      '0/1',
      'Completed',
    ],
    [
      'failed',
      { status: { phase: 'Failed', containerStatuses: [container('a', { state: terminated({ reason: 'Error' }) })] } },
      '0/1',
      'Error',
    ],
    [
      'out of memory',
      {
        status: { containerStatuses: [container('a', { state: terminated({ reason: 'OOMKilled', exitCode: 137 }) })] },
      },
      '0/1',
      'OOMKilled',
    ],
    [
      'an exit code',
      { status: { containerStatuses: [container('a', { state: terminated({ exitCode: 3 }) })] } },
      '0/1',
      'ExitCode:3',
    ],
    [
      'a signal',
      { status: { containerStatuses: [container('a', { state: terminated({ signal: 9 }) })] } },
      '0/1',
      'Signal:9',
    ],
    [
      'one of two completed',
      {
        spec: { containers: [{ name: 'a' }, { name: 'b' }] },
        status: {
          conditions: [{ type: 'Ready', status: 'False' }],
          containerStatuses: [
            container('a', { state: terminated({ exitCode: 0, reason: 'Completed' }) }),
            container('b', { state: running, ready: true }),
          ],
        },
      },
      '1/2',
      'NotReady',
    ],
    [
      'first init',
      {
        spec: init,
        status: {
          phase: 'Pending',
          initContainerStatuses: [container('i', { state: waiting('PodInitializing') }), container('j', {})],
        },
      },
      '0/1',
      'Init:0/2',
    ],
    [
      'second init',
      {
        spec: init,
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            container('i', { state: terminated({ exitCode: 0 }) }),
            container('j', { state: running }),
          ],
        },
      },
      '0/1',
      'Init:1/2',
    ],
    [
      'init failing',
      {
        spec: init,
        status: {
          phase: 'Pending',
          initContainerStatuses: [container('i', { state: terminated({ reason: 'Error' }) })],
        },
      },
      '0/1',
      'Init:Error',
    ],
    [
      'init exit code',
      {
        spec: init,
        status: { phase: 'Pending', initContainerStatuses: [container('i', { state: terminated({ exitCode: 2 }) })] },
      },
      '0/1',
      'Init:ExitCode:2',
    ],
    [
      'init looping',
      {
        spec: init,
        status: { phase: 'Pending', initContainerStatuses: [container('i', { state: waiting('CrashLoopBackOff') })] },
      },
      '0/1',
      'Init:CrashLoopBackOff',
    ],
    [
      'with a sidecar',
      {
        spec: sidecar,
        status: {
          initContainerStatuses: [container('s', { state: running, ready: true, started: true })],
          containerStatuses: [container('a', { state: running, ready: true })],
        },
      },
      '2/2',
      'Running',
    ],
    [
      'going',
      {
        metadata: { deletionTimestamp: created },
        status: { containerStatuses: [container('a', { state: running, ready: true })] },
      },
      '1/1',
      'Terminating',
    ],
    ['gone, held', { metadata: { deletionTimestamp: created }, status: { phase: 'Failed' } }, '0/1', 'Failed'],
    ['lost', { metadata: { deletionTimestamp: created }, status: { reason: 'NodeLost' } }, '0/1', 'Unknown'],
  ])('%s', (_, given, ready, status) => {
    const cells = podTable.cells(pod(given), now);
    expect(cells.slice(1, 3)).toEqual([ready, status]);
  });
});

describe('RESTARTS', () => {
  const ended = (finishedAt: string) => ({ lastState: terminated({ finishedAt }) });
  it.each<[string, Case, string]>([
    ['none', { status: { containerStatuses: [container('a', { state: running })] } }, '0'],
    [
      'some',
      { status: { containerStatuses: [container('a', { restartCount: 3, ...ended('2026-01-01T00:59:48Z') })] } },
      '3 (12s ago)',
    ],
    ['some, nobody knows when', { status: { containerStatuses: [container('a', { restartCount: 3 })] } }, '3'],
    [
      'of all, the newest',
      {
        status: {
          containerStatuses: [
            container('a', { restartCount: 1, ...ended('2026-01-01T00:30:00Z') }),
            container('b', { restartCount: 2, ...ended('2026-01-01T00:50:00Z') }),
          ],
        },
      },
      '3 (10m ago)',
    ],
    [
      'not of init containers that are done',
      {
        spec: init,
        status: {
          conditions: [{ type: 'Initialized', status: 'True' }],
          initContainerStatuses: [container('i', { restartCount: 5, state: terminated({ exitCode: 0 }) })],
          containerStatuses: [container('a', { restartCount: 1 })],
        },
      },
      '1',
    ],
  ])('%s', (_, given, text) => {
    expect(podTable.cells(pod(given), now)[3]).toBe(text);
  });

  it('counts sidecars', () => {
    const given = pod({
      spec: sidecar,
      status: { initContainerStatuses: [container('s', { restartCount: 2, started: true, state: running })] },
    });
    expect(summarizePod(given)).toMatchObject({ restarts: 2, total: 2 });
  });
});

it('shows the rest of a pod', () => {
  const given = pod({
    spec: { nodeName: 'n1', readinessGates: [{ conditionType: 'x' }, { conditionType: 'y' }] },
    status: { podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'x', status: 'True' }] },
  });
  expect(podTable.cells(given, now).slice(4)).toEqual(['60m', '10.0.0.1', 'n1', '<none>', '1/2']);
});

it.each<[string, Status, Status, readonly string[]]>([
  ['a fresh node', {}, {}, ['Unknown', '<none>']],
  [
    'a ready one',
    { conditions: [{ type: 'Ready', status: 'True' }] },
    { labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge' } },
    ['Ready', 'edge,worker'],
  ],
  ['a lost one', { conditions: [{ type: 'Ready', status: 'Unknown' }] }, {}, ['NotReady', '<none>']],
])('%s', (_, status, metadata, cells) => {
  const node = { metadata: { name: 'n', creationTimestamp: created, ...metadata }, status };
  expect(nodeTable.cells(node, now).slice(1, 3)).toEqual(cells);
});

describe('an event', () => {
  const about = { involvedObject: { kind: 'Pod', name: 'p' } };
  it.each<[string, Status, readonly unknown[]]>([
    [
      'counted',
      { ...about, count: 4, firstTimestamp: created, lastTimestamp: '2026-01-01T00:50:00Z' },
      ['10m', '60m', 4],
    ],
    ['single', { ...about, firstTimestamp: created }, ['60m', '60m', 1]],
    ['new style', { ...about, eventTime: '2026-01-01T00:59:00.000000Z' }, ['60s', '60s', 1]],
    [
      'a series',
      {
        ...about,
        eventTime: '2026-01-01T00:00:00.000000Z',
        series: { count: 7, lastObservedTime: '2026-01-01T00:59:50.000000Z' },
      },
      ['10s', '60m', 7],
    ],
    ['timeless', about, ['<unknown>', '<unknown>', 1]],
  ])('%s', (_, event, [last, first, count]) => {
    const cells = eventTable.cells({ metadata: { name: 'e' }, ...event }, now);
    expect([cells[0], cells[3], cells[7], cells[8]]).toEqual([last, 'pod/p', first, count]);
  });
});
