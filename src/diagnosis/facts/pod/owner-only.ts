/** Tells of calls that only the owner of a file, or only root, may make, when a container runs as another user. Pure. */
import type { ContainerFacts } from './container-facts.ts';
import { volumeOf } from '../files/mounts.ts';
import type { PodFacts } from './pod-facts.ts';

const NOT_PERMITTED = /operation not permitted|\bEPERM\b/i;
const MODE = /\bchmod\b|chang(?:e|ing) (?:the )?(?:permissions|mode)|set(?:ting)? (?:the )?permissions/i;
const OWNER = /\bchown\b|chang(?:e|ing) (?:the )?(?:ownership|owner|group)\b/i;
/** What programs say that need root, in the words of the system or their own. */
const NEEDS_ROOT =
  /\bcannot chroot\b|\b(?:chroot|setgid|setuid|setgroups|initgroups)\([^)]{0,80}\) failed|\bmust be (?:run |started |executed )?(?:as )?(?:root|the superuser|superuser)\b|\b(?:needs?|has|have|requires?) (?:to (?:be )?(?:run |started )?(?:as )?)?root\b|\bonly root (?:can|may)\b|\byou (?:must be|are not) root\b|\brequires? (?:root|superuser) privileges/i;
/** A program that does not want to be root. */
const NO_ROOT = /not (?:be )?(?:run |started )?(?:as )?root|\bnon-?root\b|rootless/i;
/** Calls with which a program makes or changes something. */
const WRITES =
  /\b(?:mkdir|mkdtemp|create|creating|write|writing|unlink|rename|rmdir|touch|copyfile|mknod|symlink)\w*\b/i;

/** The user of its specification; undefined: that of its image. */
export function userOf({ pod }: PodFacts, { spec }: ContainerFacts): number | undefined {
  return spec.securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser;
}

/** "may not change the mode of /data as user 117: only its owner may, and that is root, …"; undefined: it is none of these calls. */
export function ownerOnly(
  facts: PodFacts,
  container: ContainerFacts,
  { line, file }: { readonly line: string; readonly file: string | undefined },
): string | undefined {
  const user = userOf(facts, container);
  if (file === undefined || user === undefined || user === 0 || !NOT_PERMITTED.test(line)) return undefined;
  if (OWNER.test(line))
    return `may not change the owner of ${file} as user ${user}: only root may; fsGroup gives the files of a volume to a group instead`;
  if (!MODE.test(line)) return undefined;
  const mounted = volumeOf(facts, container, file);
  const isMountPoint = mounted !== undefined && mounted.mountPath.replace(/\/+$/, '') === file.replace(/\/+$/, '');
  const { emptyDir, persistentVolumeClaim } = mounted?.volume ?? {};
  const isOfRoot = isMountPoint && mounted.subPath === undefined && (emptyDir ?? persistentVolumeClaim) !== undefined;
  const why = isOfRoot
    ? `, and that is root, as volume ${mounted.volume.name} is mounted there; a folder below it would be its own`
    : '';
  return `may not change the mode of ${file} as user ${user}: only its owner may${why}`;
}

/** "needs root, and runs as user 1000"; undefined: it says nothing of the kind, or its image tells who it is. */
export function needsRoot(facts: PodFacts, container: ContainerFacts, line: string): string | undefined {
  const user = userOf(facts, container);
  if (user === undefined || user === 0 || !NEEDS_ROOT.test(line) || NO_ROOT.test(line)) return undefined;
  return `needs root, and runs as user ${user}`;
}

/** "; it is of its image, so a volume has to be mounted there", of what it may not make in a folder without a volume. */
export function ofImageText(
  facts: PodFacts,
  container: ContainerFacts,
  { line, file }: { readonly line: string; readonly file: string },
): string {
  const user = userOf(facts, container);
  const isMounted = volumeOf(facts, container, file) !== undefined;
  return isMounted || user === undefined || user === 0 || !WRITES.test(line)
    ? ''
    : '; it is of its image, so a volume has to be mounted there';
}
