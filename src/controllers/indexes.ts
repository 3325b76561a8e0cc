/** By what controllers find objects in the listers that they share. Pure. */
import { controllerOf, type KubeObject, type Pod, type PodRestart } from '../api/index.ts';
import type { Indexes } from '../client/index.ts';

/** Index of every lister: the UID of an object's controller; '' for those without one. */
export const BY_CONTROLLER = 'controller';
/** Index of pods: `spec.nodeName`; '' for those without a node. */
export const BY_NODE = 'node';

/** Index of restarts: `namespace/name` of the pod that is to be restarted. */
export const BY_POD = 'pod';

/** Index of every lister: the UIDs of an object's owners. */
export const BY_OWNER = 'owner';

export const CONTROLLER_INDEXES: Indexes<KubeObject> = {
  [BY_CONTROLLER]: (object) => [controllerOf(object)?.uid ?? ''],
  [BY_OWNER]: (object) => (object.metadata?.ownerReferences ?? []).map((reference) => reference.uid),
  [BY_NODE]: (object) => {
    if (object.kind !== 'Pod') return [];
    return [(object as Pod).spec?.nodeName ?? ''];
  },
  [BY_POD]: (object) => {
    if (object.kind !== 'PodRestart') return [];
    return [`${object.metadata?.namespace ?? ''}/${(object as PodRestart).spec?.podName ?? ''}`];
  },
};
