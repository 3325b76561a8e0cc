/**
 * Claims stay while a pod uses them, volumes while they are bound: their finalizers go when that is over. Keys as in
 * volume-binding-controller.ts. Upstream: pvc-protection-controller, pv-protection-controller.
 */
import {
  claimsOf,
  isDeleting,
  type KubeObject,
  nameOf,
  namespacedName,
  namespaceOf,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  type Resource,
  uidOf,
} from '../../api/index.ts';
import { type KubeClient, type Informers } from '../../client/index.ts';
import type { Operation } from '../operation.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { type Controller, source } from '../controller.ts';

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';

export function volumeProtectionController(informers: Informers, client: KubeClient): Controller {
  const claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
  const volumes = informers.lister(PERSISTENT_VOLUMES);
  const pods = informers.lister(PODS);
  return {
    name: 'volume-protection',
    sources: [
      source(PERSISTENT_VOLUME_CLAIMS, ({ object }) => (isDeleting(object) ? [`claim/${namespacedName(object)}`] : [])),
      source(PERSISTENT_VOLUMES, ({ object }) => (isDeleting(object) ? [`volume/${nameOf(object)}`] : [])),
      source(PODS, ({ object }) =>
        claimsOf(object).flatMap((name) => {
          const claim = claims.get(namespaceOf(object), name);
          return claim !== undefined && isDeleting(claim) ? [`claim/${namespacedName(claim)}`] : [];
        }),
      ),
    ],
    reconcile: async (key, context) => {
      const [kind, ...rest] = key.split('/');
      const name = rest.join('/');
      if (kind === 'volume') {
        const volume = volumes.getByKey(name);
        if (volume !== undefined && isDeleting(volume) && volume.status?.phase !== 'Bound')
          await context.perform(letGo(PERSISTENT_VOLUMES, volume, VOLUME_FINALIZER));
        return;
      }
      const claim = claims.getByKey(name);
      if (claim === undefined || !isDeleting(claim)) return;
      // A pod without a node has nothing mounted, and no node starts one whose claim is being deleted. If it held the claim, both
      // would wait for each other. Upstream: podUsesPVC.
      const uses = (pod: Parameters<typeof claimsOf>[0]): boolean =>
        (pod.spec?.nodeName ?? '') !== '' && claimsOf(pod).includes(nameOf(claim)) && !isPodTerminal(pod);
      if (pods.list(namespaceOf(claim)).some(uses)) return;
      // The server itself is asked: a pod that was just made must not lose its storage to a cache that lags behind.
      const { items } = await client.list(PODS, { namespace: namespaceOf(claim) }, context.signal);
      if (!items.some(uses)) await context.perform(letGo(PERSISTENT_VOLUME_CLAIMS, claim, CLAIM_FINALIZER));
    },
  };
}

function letGo(resource: Resource<KubeObject>, object: KubeObject, finalizer: string): readonly Operation[] {
  const { finalizers = [], namespace, resourceVersion } = object.metadata ?? {};
  if (!finalizers.includes(finalizer)) return [];
  const left = finalizers.filter((name) => name !== finalizer);
  return [
    {
      verb: 'patch',
      resource,
      ...(namespace === undefined ? {} : { namespace }),
      name: nameOf(object),
      type: 'merge',
      patch: { metadata: { uid: uidOf(object), resourceVersion, finalizers: left } },
    },
  ];
}
