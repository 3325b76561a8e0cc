/** Invariant: volumes exist before the containers that mount them. */
import type { Pod, Volume } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/** No container is created before its volumes exist, each as a folder or file, and mounted if it has a file system. */
export function hasVolumesFirst(facts: Facts): void {
  const pods = new Map<string, Pod>();
  facts.on({
    'pod-written': ({ pod }) => void pods.set(pod.metadata?.uid ?? '', pod),
    created: ({ uid, container, attempt, mounts }) => {
      const spec = pods.get(uid)?.spec;
      const found = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].find(
        ({ name }) => name === container,
      );
      for (const { name, mountPath } of found?.volumeMounts ?? []) {
        const mount = mounts.find(({ containerPath }) => containerPath === mountPath);
        const problem = problemOf(
          spec?.volumes?.find((volume) => volume.name === name),
          mount?.found,
        );
        if (problem === undefined) continue;
        throw new InvariantViolation('volumes first', `${uid} ${container}#${attempt}: volume ${name} ${problem}`);
      }
    },
  });
}

function problemOf(volume: Volume | undefined, found: 'nothing' | 'files' | 'mounted' | undefined): string | undefined {
  if (found === undefined) return 'is not mounted into it';
  if (found === 'nothing') return 'is not there';
  if (volume?.emptyDir?.medium === 'Memory' && found !== 'mounted') return 'is not in memory';
  return undefined;
}
