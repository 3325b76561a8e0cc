/** Finds the claim that is mounted at nearly the folder which a program writes, and that was meant to be there. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { type MountedVolume, mountedVolumes } from './mounts.ts';
import { isNear } from './other-mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

export interface ClaimBeside {
  readonly claim: string;
  readonly volume: string;
  /** Where it is mounted. */
  readonly at: string;
  /** Where the program writes. */
  readonly meant: string;
}

/** Folders that hold what has to last. */
const OF_DATA = /^\/var\/lib\/|^\/srv\/|\/(?:data|db|database|storage|state|store)s?(?:\/|$)/i;

/** The claims that the container mounts. */
function claimsOf(facts: PodFacts, container: ContainerFacts): readonly (MountedVolume & { readonly claim: string })[] {
  return mountedVolumes(facts, container).flatMap((mounted) => {
    const claim = mounted.volume.persistentVolumeClaim?.claimName;
    return claim === undefined ? [] : [{ ...mounted, claim }];
  });
}

/** The only claim whose place is nearly that of the folder or of one above it, or has the same name. */
export function claimBeside(facts: PodFacts, container: ContainerFacts, folder: string): ClaimBeside | undefined {
  const found = claimsOf(facts, container).flatMap(({ claim, volume, mountPath }): readonly ClaimBeside[] => {
    const meant = foldersAbove(folder).find(
      (each) => each !== mountPath && (isNear(each, mountPath) || nameOf(each) === nameOf(mountPath)),
    );
    return meant === undefined ? [] : [{ claim, volume: volume.name, at: mountPath, meant }];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Whether data would be lost with an emptyDir at the folder, of a container that keeps some in a claim. */
export function mayKeepData(facts: PodFacts, container: ContainerFacts, folder: string): boolean {
  return OF_DATA.test(folder) && claimsOf(facts, container).length > 0;
}

/** "/var/lib/a/b", "/var/lib/a"; a folder of the root may be anything. */
function foldersAbove(folder: string): readonly string[] {
  const parts = folder.split('/').filter((part) => part !== '');
  return parts
    .flatMap((_, at) => (at < 2 ? [] : [`/${parts.slice(0, at).join('/')}`]))
    .concat(folder)
    .toReversed();
}

function nameOf(folder: string): string {
  return folder.replace(/\/+$/, '').split('/').at(-1) ?? '';
}
