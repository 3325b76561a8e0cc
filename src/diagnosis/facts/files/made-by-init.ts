/** Finds the init container that made a folder of a shared volume as another user. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { volumeOf } from './mounts.ts';
import { userOf } from '../pod/owner-only.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

/** Commands that make folders and files, or change whose they are. */
const MAKES = /\b(?:mkdir|install|cp|mv|tar|unzip|git clone|touch|rsync|chown|chmod|tee|wget|curl)\b|>/;

/**
 * "; init container prepare makes /export/out as root": of a container that runs as another user than the one that made the folder; empty:
 * none is known to have made it.
 */
export function madeByInit(facts: PodFacts, container: ContainerFacts, file: string): string {
  const user = userOf(facts, container);
  const mounted = volumeOf(facts, container, file);
  if (user === undefined || user === 0 || mounted === undefined) return '';
  const inside = file
    .slice(mounted.mountPath.replace(/\/+$/, '').length)
    .split('/')
    .filter((part) => part !== '');
  for (const init of facts.containers.filter((each) => each.kind === 'init' && each !== container)) {
    const own = userOf(facts, init) ?? 0;
    const mount = (init.spec.volumeMounts ?? []).find(({ name }) => name === mounted.volume.name);
    if (own === user || mount === undefined || mount.readOnly === true) continue;
    const text = commandText(init.spec, init.environment);
    if (!MAKES.test(text) || /\bchown\b/.test(text)) continue;
    // The innermost folder above the file that its command names: /export/out of /export/out/orders.csv.
    const named = inside
      .map((_, index) => [mount.mountPath.replace(/\/+$/, ''), ...inside.slice(0, index + 1)].join('/'))
      .findLast((path) => text.includes(path));
    if (named === undefined) continue;
    const by = own === 0 ? 'root' : `user ${own}`;
    return `; init container ${init.name}, which runs as ${by}, makes ${named}, so it has to give it to user ${user} (chown, or the same runAsUser)`;
  }
  return '';
}
