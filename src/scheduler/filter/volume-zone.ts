/** Filter: the zone and region in the labels of a pod's volumes are those of the node. Pure. Upstream: VolumeZone. */
import { type Filter, unresolvable } from './filter.ts';

const NAME = 'VolumeZone';
const OTHER_ZONE = unresolvable(NAME, 'node(s) had no available volume zone');

/** Label of a volume → the label that nodes have today for the same. */
const TOPOLOGY = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'topology.kubernetes.io/region'],
]);
/** Several zones are one value of a label. */
const SEPARATOR = '__';

interface Place {
  readonly label: string;
  readonly values: ReadonlySet<string>;
}

export const volumeZone: Filter = {
  name: NAME,
  prepare(pod, cluster) {
    if (pod.claims.length === 0) return undefined;
    const places = pod.claims.flatMap((name) => {
      const volume = cluster.volume(cluster.claim(pod.namespace, name)?.spec?.volumeName ?? '');
      return placesOf(volume?.metadata?.labels ?? {});
    });
    if (places.length === 0) return undefined;
    return {
      check: ({ labels }) => {
        // In a cluster of one zone, nodes may say nothing of it.
        if (![...TOPOLOGY.keys()].some((label) => labels[label] !== undefined)) return undefined;
        const fits = places.every(({ label, values }) => {
          const there = labels[label] ?? labels[TOPOLOGY.get(label) ?? label];
          return there !== undefined && values.has(there);
        });
        return fits ? undefined : OTHER_ZONE;
      },
    };
  },
};

/** A label with an empty zone says nothing. */
function placesOf(labels: Readonly<Record<string, string>>): readonly Place[] {
  return [...TOPOLOGY.keys()].flatMap((label) => {
    const values = labels[label]?.split(SEPARATOR).map((value) => value.trim());
    return values === undefined || values.includes('') ? [] : [{ label, values: new Set(values) }];
  });
}
