/** The columns of kinds with a line or two of logic (upstream: pkg/printers/internalversion). */
import type { ConfigMap, Lease, Namespace, Secret } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { ageColumn, type Cell, type ColumnDefinition, column, nameColumn, since, type TableKind } from './table.ts';

function simpleTable(columns: readonly ColumnDefinition[], middle: (object: ApiObject) => readonly Cell[]): TableKind {
  return {
    columns: [nameColumn, ...columns, ageColumn],
    cells: (object, now) => [
      object.metadata.name ?? '',
      ...middle(object),
      since(object.metadata.creationTimestamp, now),
    ],
  };
}

function size(map: object | undefined): number {
  return map === undefined ? 0 : Object.keys(map).length;
}

export const namespaceTable = simpleTable([column('Status', { description: 'Its phase.' })], (object) => [
  (object as Namespace).status?.phase ?? '',
]);

export const configMapTable = simpleTable([column('Data', { description: 'How many entries.' })], (object) => {
  const map = object as ConfigMap;
  return [size(map.data) + size(map.binaryData)];
});

export const secretTable = simpleTable(
  [column('Type', { description: 'What it is for.' }), column('Data', { description: 'How many entries.' })],
  (object) => {
    const secret = object as Secret;
    return [secret.type ?? '', size(secret.data)];
  },
);

export const leaseTable = simpleTable([column('Holder', { description: 'Who holds it.' })], (object) => [
  (object as Lease).spec?.holderIdentity ?? '',
]);

/** Name and age. */
export const serviceAccountTable = simpleTable([], () => []);
