/**
 * Creates the class of the volumes that are folders of nodes, once when the controllers start. It is the default unless another
 * class is. Afterwards it belongs to the people of the cluster, who may change or delete it; the next start makes a deleted one
 * again. One key: "class".
 */
import {
  DEFAULT_CLASS,
  isDefaultClass,
  LOCAL_PROVISIONER,
  nameOf,
  NAMESPACES,
  STORAGE_CLASSES,
  type StorageClass,
} from '../../api/index.ts';
import type { Informers } from '../../client/index.ts';
import { type Controller, source } from '../controller.ts';

/** It is there in every cluster, and with it the start has a key. */
const ALWAYS_THERE = 'kube-system';

export function classController(informers: Informers, className: string): Controller {
  const classes = informers.lister(STORAGE_CLASSES);
  let isDone = false;
  return {
    name: 'local-volume-class',
    sources: [
      source(NAMESPACES, ({ object }) => (!isDone && nameOf(object) === ALWAYS_THERE ? ['class'] : [])),
      source(STORAGE_CLASSES, () => []),
    ],
    reconcile: async (_, context) => {
      if (isDone) return;
      if (classes.get(undefined, className) === undefined) {
        const object = localClass(className, classes.list());
        await context.write({ verb: 'create', resource: STORAGE_CLASSES, object });
      }
      isDone = true;
    },
  };
}

/** @param others the classes that there are already */
export function localClass(name: string, others: readonly StorageClass[]): StorageClass {
  const isDefault = !others.some(isDefaultClass);
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, ...(isDefault && { annotations: { [DEFAULT_CLASS]: 'true' } }) },
    provisioner: LOCAL_PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
}
