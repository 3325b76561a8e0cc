import { describe, expect, it } from 'vitest';
import type { CSIDriver } from '../../../api/index.ts';
import type { WorkloadObject } from '../../evidence/kinds.ts';
import { driverCandidates, titleOf } from './driver-parts.ts';

const DRIVER = 'disk.example.com';

interface Given {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: object;
  readonly containers?: readonly object[];
  readonly volumes?: readonly object[];
}

function workload(given: Given): { readonly workload: WorkloadObject } {
  const { kind = 'DaemonSet', name = 'node', namespace = 'disk', labels, containers = [], volumes = [] } = given;
  const spec = { template: { spec: { containers, volumes } } };
  return { workload: { kind, metadata: { name, namespace, labels }, spec } as unknown as WorkloadObject };
}

const registrar = { name: 'node-driver-registrar', image: 'registry.example/sig-storage/csi-node-driver-registrar:v2' };
const attacher = {
  name: 'csi-attacher',
  image: 'registry.example/sig-storage/csi-attacher:v4',
  args: ['--csi-address=/csi/csi.sock'],
};
const folder = (path: string) => ({ name: 'socket', hostPath: { path } });
const object = (labels: object): CSIDriver => ({ metadata: { name: DRIVER, labels: { ...labels } }, spec: {} });

const found = (
  candidates: readonly ReturnType<typeof workload>[],
  labels: object = {},
  others: readonly string[] = [],
) =>
  driverCandidates({ name: DRIVER, object: object(labels) }, candidates, others).map(
    (each) =>
      `${'workload' in each ? titleOf({ roles: [], pods: [], workload: each.workload }) : ''}: ${each.roles.join()}`,
  );

describe('the parts of a driver', () => {
  it.each<[string, Given]>([
    ['a folder', { containers: [registrar], volumes: [folder(`/var/lib/kubelet/plugins/${DRIVER}`)] }],
    [
      'an argument',
      { containers: [{ ...registrar, args: [`--kubelet-registration-path=/k/plugins/${DRIVER}/csi.sock`] }] },
    ],
    ['a variable', { containers: [registrar, { name: 'driver', env: [{ name: 'DRIVER_NAME', value: DRIVER }] }] }],
  ])('are known by %s that names it', (_, given) => {
    expect(found([workload(given)])).toEqual(['daemonset disk/node: node']);
  });

  it.each([`/plugins/${DRIVER}.other`, `/plugins/my-${DRIVER}`, `/plugins/other.${DRIVER}`, `/plugins/${DRIVER}2`])(
    'are not known by a longer name, %s',
    (path) => {
      expect(found([workload({ containers: [registrar], volumes: [folder(path)] })])).toEqual([]);
    },
  );

  it('are known by labels of its object', () => {
    const labels = { 'app.kubernetes.io/instance': 'disk' };
    expect(found([workload({ containers: [attacher], labels, kind: 'Deployment', name: 'ctl' })], labels)).toEqual([
      'deployment disk/ctl: attacher',
    ]);
  });

  it('are known beside a part that names it, by a label that both have', () => {
    const labels = { 'app.kubernetes.io/name': 'disk-driver' };
    const node = workload({ containers: [registrar], labels, volumes: [folder(`/k/plugins/${DRIVER}`)] });
    const ctl = { containers: [attacher], kind: 'Deployment', name: 'ctl' };
    expect(found([node, workload({ ...ctl, labels })])).toHaveLength(2);
    expect(found([node, workload({ ...ctl, labels: { 'app.kubernetes.io/name': 'x' } })])).toHaveLength(1);
    expect(found([node, workload({ ...ctl, labels, namespace: 'elsewhere' })])).toHaveLength(1);
    const other = { ...attacher, args: ['--driver=nfs.example.com'] };
    expect(found([node, workload({ ...ctl, labels, containers: [other] })], {}, ['nfs.example.com'])).toHaveLength(1);
  });

  it('are no workloads without a part of a driver in them', () => {
    const user = { containers: [{ name: 'web', env: [{ name: 'DRIVER', value: DRIVER }] }], kind: 'Deployment' };
    expect(found([workload(user)])).toEqual([]);
  });

  it('have a role for each sidecar', () => {
    const all = ['csi-attacher', 'csi-provisioner', 'csi-resizer'].map((name) => ({ name, args: [DRIVER] }));
    expect(found([workload({ containers: all, kind: 'Deployment', name: 'ctl' })])).toEqual([
      'deployment disk/ctl: attacher,provisioner,resizer',
    ]);
  });
});
