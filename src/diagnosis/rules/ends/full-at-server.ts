/** Part of a rule: a database that has no space left answers its clients with the words of its own system. Pure. */
import type { Pod } from '../../evidence/kinds.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { serverObject } from '../../facts/servers/server-settings.ts';
import { serverOf } from '../../facts/servers/server-peers.ts';

/** Words that servers have for it, and no library for a file of the program's own. */
export const FULL_AT_SERVER =
  /\bErrcode: 28\b|\bcould not (?:extend|write|create|open) (?:temporary )?(?:file|to file|block)\b.{0,300}no space left|\bDiskFull\b|\b53100\b|\bER_DISK_FULL\b|\bThe table '.{1,200}' is full\b/i;

export interface FullAtServer {
  /** "its server db cannot write /tmp/x: no space is left there, in volume tmp in memory of deployment/db, at /tmp, of 16Mi" */
  readonly says: string;
  /** "deployment/db" */
  readonly object?: string;
}

/** Undefined: the words are the program's own, or nothing tells whom it asks. @param file that could not be written */
export function fullAtServer(
  { evidence }: PodFacts,
  container: ContainerFacts,
  line: string,
  file: string | undefined,
): FullAtServer | undefined {
  const service = FULL_AT_SERVER.test(line) ? serverOf(evidence, container) : undefined;
  if (service === undefined) return undefined;
  const what = `its server ${service.name} cannot write${file === undefined ? '' : ` ${file}`}: no space is left there`;
  const { server } = service;
  if (server === undefined) return { says: what };
  const object = serverObject(server);
  const volume = file === undefined ? undefined : volumeAt(server.pod, file);
  return { says: `${what}${volume === undefined ? '' : `, in ${volume.text} of ${object}${volume.where}`}`, object };
}

/** The volume in which a pod has a file. */
function volumeAt({ spec }: Pod, file: string): { readonly text: string; readonly where: string } | undefined {
  const [mount] = (spec?.containers ?? [])
    .flatMap(({ volumeMounts = [] }) => volumeMounts)
    .filter(({ mountPath }) => file.startsWith(`${mountPath.replace(/\/+$/, '')}/`))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  const volume = spec?.volumes?.find(({ name }) => name === mount?.name);
  if (mount === undefined || volume === undefined) return undefined;
  const { emptyDir, persistentVolumeClaim } = volume;
  const inMemory = emptyDir?.medium === 'Memory' ? ' in memory' : '';
  const claim = persistentVolumeClaim === undefined ? '' : ` (claim ${persistentVolumeClaim.claimName})`;
  const size = emptyDir?.sizeLimit === undefined ? '' : `, of ${emptyDir.sizeLimit}`;
  return { text: `volume ${volume.name}${claim}${inMemory}`, where: `, at ${mount.mountPath}${size}` };
}
