import { expect, it } from 'vitest';
import { deploymentTable, replicaSetTable, replicationControllerTable } from './replicated.ts';
import type { TableKind } from './table.ts';

const metadata = { name: 'web', creationTimestamp: '2026-01-01T00:00:00Z' };
const template = {
  spec: {
    containers: [
      { name: 'a', image: 'x:1' },
      { name: 'b', image: 'y:2' },
    ],
  },
};

function print(table: TableKind, object: object): string[] {
  const cells = table.cells({ metadata, ...object }, Date.UTC(2026, 0, 1, 0, 5));
  const all = table.columns.map(
    ({ name, priority }, position) => `${name}${priority === 1 ? '*' : ''}=${cells[position]}`,
  );
  expect(cells).toHaveLength(table.columns.length);
  return all;
}

it.each<[string, TableKind, object, string[]]>([
  [
    'a deployment',
    deploymentTable,
    {
      spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template },
      status: { replicas: 4, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
    },
    [
      'Name=web',
      'Ready=2/3',
      'Up-to-date=1',
      'Available=2',
      'Age=5m',
      'Containers*=a,b',
      'Images*=x:1,y:2',
      'Selector*=app=web',
    ],
  ],
  [
    'a replica set',
    replicaSetTable,
    {
      spec: {
        replicas: 3,
        selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] },
        template,
      },
      status: { replicas: 2, readyReplicas: 1 },
    },
    [
      'Name=web',
      'Desired=3',
      'Current=2',
      'Ready=1',
      'Age=5m',
      'Containers*=a,b',
      'Images*=x:1,y:2',
      'Selector*=app in (a,b)',
    ],
  ],
  [
    'a replication controller',
    replicationControllerTable,
    { spec: { replicas: 1, selector: { b: '2', a: '1' } } },
    ['Name=web', 'Desired=1', 'Current=0', 'Ready=0', 'Age=5m', 'Containers*=', 'Images*=', 'Selector*=a=1,b=2'],
  ],
])('%s', (_, table, object, expected) => {
  expect(print(table, object)).toEqual(expected);
});
