/** Tells where PHP-FPM has the scripts that a web server of its pod asks it for, where that is another place. Pure. */
import type { RankedFinding } from '../../finding.ts';
import { configFiles } from '../configs/config-files.ts';
import { textOf } from '../configs/config-lines.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { type MountedVolume, mountedVolumes, volumeOf } from '../files/mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

/** What FPM answers for a script that it does not have. */
const UNKNOWN = /Primary script unknown/;
const REQUEST = /\b(?:GET|HEAD|POST|PUT) (\/[^\s?"']{0,300})/;
const ROOT = /^[ \t]{0,40}root[ \t]{1,8}["']?(\/[^\s;"']{0,300})["']?;/gm;

/** The findings; one about an unknown script says which file was asked for, and where the other container has the volume. */
export function withScripts(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.map((finding) => {
    const container = facts.containers.find(({ name }) => name === finding.container);
    const told =
      container !== undefined && UNKNOWN.test(finding.says) ? scriptText(facts, container, finding) : undefined;
    return told === undefined || finding.says.includes(told)
      ? finding
      : { ...finding, says: `${finding.says}; ${told}` };
  });
}

/** The folder that stands before the name of the script, whatever the root of the site is. */
const SCRIPT_FILENAME =
  /^[ \t]{0,40}fastcgi_param[ \t]{1,40}SCRIPT_FILENAME[ \t]{1,40}["']?(\/[^\s;"'$]{0,300})\$(?:fastcgi_script_name|uri)/gm;

/** The folders of scripts that its configurations name, those that are given to FPM before the roots of sites. */
function foldersOf(texts: readonly string[]): readonly string[] {
  const named = (pattern: RegExp): readonly string[] =>
    texts.flatMap((text) => [...text.matchAll(pattern)].flatMap(([, folder]) => folder ?? []));
  const given = named(SCRIPT_FILENAME);
  return given.length > 0 ? given : named(ROOT);
}

function scriptText(facts: PodFacts, container: ContainerFacts, { says }: RankedFinding): string | undefined {
  const path = REQUEST.exec(says)?.[1];
  const texts = configFiles(facts, container).flatMap((file) => textOf(facts, file) ?? []);
  const [root, ...more] = new Set(foldersOf(texts));
  if (path === undefined || root === undefined || more.length > 0) return undefined;
  const asked = `it asks for ${root.replace(/\/$/, '')}${path}`;
  const own = volumeOf(facts, container, root);
  const elsewhere = own === undefined ? otherRoot(texts, root) : otherPlace(facts, container, own);
  return elsewhere === undefined ? asked : `${asked}, and ${elsewhere}`;
}

/** "the root of its site is /srv/app": where the script may lie instead of where no volume is. */
function otherRoot(texts: readonly string[], folder: string): string | undefined {
  const roots = texts.flatMap((text) => [...text.matchAll(ROOT)].flatMap(([, root]) => root ?? []));
  const [root, ...more] = new Set(roots.map((each) => each.replace(/\/$/, '')));
  const isOther = root !== undefined && more.length === 0 && root !== folder.replace(/\/$/, '');
  return isOther ? `the root of its site is ${root} (fastcgi_param SCRIPT_FILENAME)` : undefined;
}

/** "container fpm has volume code at /srv/app, not at /var/www/html"; undefined: no other container has the volume elsewhere. */
function otherPlace(facts: PodFacts, container: ContainerFacts, own: MountedVolume): string | undefined {
  for (const other of facts.containers) {
    if (other === container || other.kind === 'init') continue;
    const places = mountedVolumes(facts, other).filter(({ volume }) => volume.name === own.volume.name);
    const [first] = places;
    if (first === undefined || places.some(({ mountPath }) => mountPath === own.mountPath)) continue;
    return `container ${other.name} has volume ${own.volume.name} at ${first.mountPath}, not at ${own.mountPath}`;
  }
  return undefined;
}
