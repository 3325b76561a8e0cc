/** The objects that the sidecars handle, and paths of the API. */
import type { KubeObject } from './cluster.ts';

export type Strings = Readonly<Record<string, string>>;

export interface Claim extends KubeObject {
  readonly spec: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly volumeMode?: 'Filesystem' | 'Block';
    readonly accessModes: readonly string[];
    readonly resources: { readonly requests: Strings };
    readonly dataSource?: { readonly kind: string; readonly name: string };
  };
  readonly status: {
    readonly phase?: string;
    readonly capacity?: Strings;
    readonly allocatedResourceStatuses?: Strings;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface Volume extends KubeObject {
  readonly spec: {
    readonly capacity: Strings;
    readonly accessModes: readonly string[];
    readonly volumeMode?: string;
    readonly persistentVolumeReclaimPolicy: string;
    readonly storageClassName?: string;
    readonly claimRef?: { readonly namespace: string; readonly name: string; readonly uid?: string };
    readonly csi?: {
      readonly driver: string;
      readonly volumeHandle: string;
      readonly fsType?: string;
      readonly volumeAttributes?: Strings;
    };
  };
  readonly status: { readonly phase?: string };
}

export interface StorageClass extends KubeObject {
  readonly provisioner: string;
  readonly parameters?: Strings;
  readonly reclaimPolicy?: string;
  readonly mountOptions?: readonly string[];
  readonly volumeBindingMode?: string;
}

export interface CsiNode extends KubeObject {
  readonly spec: {
    readonly drivers: readonly {
      readonly name: string;
      readonly nodeID: string;
      readonly topologyKeys?: readonly string[];
    }[];
  };
}

export interface Attachment extends KubeObject {
  readonly spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string };
  };
  readonly status?: { readonly attached?: boolean };
}

export const CORE = '/api/v1';
export const STORAGE = '/apis/storage.k8s.io/v1';
export const SNAPSHOTS = '/apis/snapshot.storage.k8s.io/v1';

/** The path of one object of a namespace or, without one, of the cluster. */
export function pathOf(base: string, resource: string, { metadata }: KubeObject): string {
  const { namespace, name } = metadata;
  return `${base}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${resource}/${name}`;
}

const UNITS: Readonly<Record<string, number>> = {
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};

/** A quantity in bytes. */
export function bytesOf(quantity: string): number {
  const [, number = '', unit = ''] = /^([\d.]+)([A-Za-z]*)$/.exec(quantity) ?? [];
  const factor = unit === '' ? 1 : UNITS[unit];
  if (number === '' || factor === undefined) throw new Error(`${quantity} is no size that is understood here`);
  return Math.ceil(Number(number) * factor);
}

/** The quantity of so many bytes, as the API writes them. */
export function quantityOf(bytes: bigint): string {
  const steps = ['', 'Ki', 'Mi', 'Gi', 'Ti'];
  let rest = bytes;
  let step = 0;
  for (; rest > 0n && rest % 1024n === 0n && step < steps.length - 1; step++) rest /= 1024n;
  return `${rest}${steps[step]}`;
}

/** A JSON patch that sets the finalizers, unless somebody else changed the object. */
export function setFinalizers(object: KubeObject, finalizers: readonly string[]): readonly object[] {
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
    {
      op: object.metadata.finalizers === undefined ? 'add' : 'replace',
      path: '/metadata/finalizers',
      value: finalizers,
    },
  ];
}
