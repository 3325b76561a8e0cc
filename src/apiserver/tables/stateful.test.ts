import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../registry/object.ts';
import { controllerRevisionTable, daemonSetTable, statefulSetTable } from './stateful.ts';
import type { TableKind } from './table.ts';
import { persistentVolumeClaimTable, persistentVolumeTable, storageClassTable } from './volumes.ts';

const created = '2026-01-01T00:00:00Z';
const now = Date.UTC(2026, 0, 1, 1);
const TEMPLATE = {
  spec: {
    nodeSelector: { disk: 'ssd' },
    containers: [
      { name: 'a', image: 'x' },
      { name: 'b', image: 'y' },
    ],
  },
};

/** As `kubectl get -o wide` shows it. */
function show(table: TableKind, object: object): string[] {
  const cells = table.cells(
    { ...object, metadata: { name: 'o', creationTimestamp: created, ...(object as ApiObject).metadata } },
    now,
  );
  return table.columns.map(({ name }, position) => `${name.toUpperCase()}=${String(cells[position])}`);
}

describe('tables', () => {
  it('of stateful sets', () => {
    const set = { spec: { replicas: 3, template: TEMPLATE }, status: { replicas: 2, readyReplicas: 1 } };
    expect(show(statefulSetTable, set)).toEqual(['NAME=o', 'READY=1/3', 'AGE=60m', 'CONTAINERS=a,b', 'IMAGES=x,y']);
  });

  it('of daemon sets', () => {
    const status = {
      desiredNumberScheduled: 5,
      currentNumberScheduled: 4,
      numberReady: 3,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
    };
    const spec = { selector: { matchLabels: { app: 'd' } }, template: TEMPLATE };
    expect(show(daemonSetTable, { spec, status })).toEqual([
      'NAME=o',
      'DESIRED=5',
      'CURRENT=4',
      'READY=3',
      'UP-TO-DATE=2',
      'AVAILABLE=1',
      'NODE SELECTOR=disk=ssd',
      'AGE=60m',
      'CONTAINERS=a,b',
      'IMAGES=x,y',
      'SELECTOR=app=d',
    ]);
  });

  it('of revisions', () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true }];
    expect(show(controllerRevisionTable, { metadata: { ownerReferences }, revision: 7 })).toEqual([
      'NAME=o',
      'CONTROLLER=statefulset.apps/web',
      'REVISION=7',
      'AGE=60m',
    ]);
    expect(show(controllerRevisionTable, { revision: 1 })[1]).toBe('CONTROLLER=<none>');
  });

  it('of volumes, claims and classes', () => {
    const spec = {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadOnlyMany', 'ReadWriteOnce'],
      volumeMode: 'Filesystem',
    };
    const volume = { ...spec, claimRef: { namespace: 'n', name: 'c' }, persistentVolumeReclaimPolicy: 'Retain' };
    expect(show(persistentVolumeTable, { spec: volume, status: { phase: 'Bound' } })).toEqual([
      'NAME=o',
      'CAPACITY=1Gi',
      'ACCESS MODES=RWO,ROX',
      'RECLAIM POLICY=Retain',
      'STATUS=Bound',
      'CLAIM=n/c',
      'STORAGECLASS=',
      'VOLUMEATTRIBUTESCLASS=<unset>',
      'REASON=',
      'AGE=60m',
      'VOLUMEMODE=Filesystem',
    ]);
    const claim = { spec: { volumeName: 'v', storageClassName: 's' }, status: { ...spec, phase: 'Bound' } };
    expect(show(persistentVolumeClaimTable, claim)).toEqual([
      'NAME=o',
      'STATUS=Bound',
      'VOLUME=v',
      'CAPACITY=1Gi',
      'ACCESS MODES=RWO,ROX',
      'STORAGECLASS=s',
      'VOLUMEATTRIBUTESCLASS=<unset>',
      'AGE=60m',
      'VOLUMEMODE=<unset>',
    ]);
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    expect(show(storageClassTable, { metadata: { name: 's', annotations }, provisioner: 'p' })).toEqual([
      'NAME=s (default)',
      'PROVISIONER=p',
      'RECLAIMPOLICY=Delete',
      'VOLUMEBINDINGMODE=<unset>',
      'ALLOWVOLUMEEXPANSION=false',
      'AGE=60m',
    ]);
  });
});
