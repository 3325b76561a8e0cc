/** CSIStorageCapacity objects: how much room there is for each class in each segment of the topology. */
import { createHash } from 'node:crypto';
import type { Client } from '@connectrpc/connect';
import type { Controller } from '../gen/csi-controller_pb.js';
import { settings } from '../settings.ts';
import type { Cluster, KubeObject } from './cluster.ts';
import { quantityOf, STORAGE } from './objects.ts';
import { segmentsOf, type Sight } from './sight.ts';

interface Capacity extends KubeObject {
  readonly capacity?: string;
}

const LABELS = {
  'csi.storage.k8s.io/drivername': settings.driver,
  'csi.storage.k8s.io/managed-by': 'external-provisioner',
};

/** Creates, updates and removes the objects of this driver. @returns whether it is to be tried again */
export async function reportCapacity(
  cluster: Cluster,
  controller: Client<typeof Controller>,
  sight: Sight,
): Promise<boolean> {
  const path = `${STORAGE}/namespaces/${settings.namespace}/csistoragecapacities`;
  const selector = encodeURIComponent(`csi.storage.k8s.io/drivername=${settings.driver}`);
  try {
    const { items } = await cluster.get<{ items: readonly Capacity[] }>(`${path}?labelSelector=${selector}`);
    const wanted = await wantedOf(controller, sight);
    const owners = await ownersOf(cluster);
    for (const [name, { storageClassName, segments, capacity }] of wanted) {
      const known = items.find(({ metadata }) => metadata.name === name);
      const made = {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIStorageCapacity',
        metadata: { name, labels: LABELS, ownerReferences: owners },
        storageClassName,
        nodeTopology: { matchLabels: segments },
        capacity,
      };
      if (known === undefined) await cluster.create(path, made);
      else if (known.capacity !== capacity) await cluster.patch(`${path}/${name}`, { capacity });
    }
    for (const { metadata } of items) if (!wanted.has(metadata.name)) await cluster.remove(`${path}/${metadata.name}`);
    return false;
  } catch (error) {
    console.log(`capacity: ${error instanceof Error ? error.message : String(error)}`);
    return true;
  }
}

async function wantedOf(controller: Client<typeof Controller>, sight: Sight) {
  const found = new Map<string, { storageClassName: string; segments: Record<string, string>; capacity: string }>();
  const classes = sight.classes.list().filter(({ provisioner }) => provisioner === settings.driver);
  for (const { metadata, parameters = {} } of classes) {
    for (const { segments } of segmentsOf(sight)) {
      const storageClassName = metadata.name;
      const { availableCapacity } = await controller.getCapacity({
        parameters: { ...parameters },
        accessibleTopology: { segments: { ...segments } },
      });
      const key = createHash('sha256')
        .update(JSON.stringify([storageClassName, segments]))
        .digest('hex')
        .slice(0, 10);
      found.set(`csisc-${key}`, {
        storageClassName,
        segments: { ...segments },
        capacity: quantityOf(availableCapacity),
      });
    }
  }
  return found;
}

/** The owner of our pod, so that the objects go with it. */
async function ownersOf(cluster: Cluster): Promise<readonly object[]> {
  const pod = await cluster.get<KubeObject>(`/api/v1/namespaces/${settings.namespace}/pods/${settings.pod}`);
  return pod.metadata.ownerReferences ?? [];
}
