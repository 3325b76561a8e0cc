/**
 * Makes the claims of generic ephemeral volumes: one for each such volume of a pod, named after both, owned by the pod and so
 * deleted with it. Keys are pods. Upstream: pkg/controller/volume/ephemeral.
 */
import {
  controllerOf,
  controllerReference,
  isDeleting,
  nameOf,
  namespacedName,
  namespaceOf,
  PERSISTENT_VOLUME_CLAIMS,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  StatusError,
  uidOf,
  type Volume,
} from '../../api/index.ts';
import { type EventRecorder, type Informers, referenceTo } from '../../client/index.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { type Controller, source } from '../controller.ts';

export function ephemeralVolumeController(informers: Informers, events: EventRecorder): Controller {
  const pods = informers.lister(PODS);
  const claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
  return {
    name: 'ephemeral-volume',
    sources: [
      source(PODS, ({ type, object }) =>
        type === 'apply' && ephemeralOf(object).length > 0 ? [namespacedName(object)] : [],
      ),
      source(PERSISTENT_VOLUME_CLAIMS, ({ type, object }) => {
        // One that was in the way is gone, or ours was deleted.
        if (type !== 'delete') return [];
        const waiting = pods.list(namespaceOf(object)).filter((pod) => claimNamesOf(pod).includes(nameOf(object)));
        return waiting.map(namespacedName);
      }),
    ],
    reconcile: async (key, context) => {
      const pod = pods.getByKey(key);
      if (pod === undefined || isDeleting(pod) || isPodTerminal(pod)) return;
      for (const volume of ephemeralOf(pod)) {
        const wanted = claimOf(pod, volume);
        const found = claims.get(namespaceOf(pod), nameOf(wanted));
        const tell = (why: string): void =>
          events.event(referenceTo(pod), 'Warning', 'FailedBinding', `ephemeral volume ${volume.name}: ${why}`);
        if (found !== undefined) {
          if (controllerOf(found)?.uid !== uidOf(pod))
            tell(`PVC ${namespacedName(found)} was not created for pod ${namespacedName(pod)} (pod is not owner)`);
          continue;
        }
        try {
          // Another's claim of that name is an error here: the next attempt sees it, and says so.
          const create = { verb: 'create', resource: PERSISTENT_VOLUME_CLAIMS, object: wanted } as const;
          await context.write(create, { ownName: true });
        } catch (error) {
          if (error instanceof StatusError && error.reason !== 'AlreadyExists')
            tell(`create PVC ${nameOf(wanted)}: ${error.message}`);
          throw error;
        }
      }
    },
  };
}

function ephemeralOf({ spec }: Pod): readonly Volume[] {
  return (spec?.volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined);
}

function claimNamesOf(pod: Pod): readonly string[] {
  return ephemeralOf(pod).map(({ name }) => `${nameOf(pod)}-${name}`);
}

function claimOf(pod: Pod, { name, ephemeral }: Volume): PersistentVolumeClaim {
  const { metadata, spec } = ephemeral?.volumeClaimTemplate ?? {};
  const { labels, annotations } = metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: namespaceOf(pod),
      name: `${nameOf(pod)}-${name}`,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ownerReferences: [controllerReference(PODS, pod)],
    },
    ...(spec && { spec }),
  };
}
