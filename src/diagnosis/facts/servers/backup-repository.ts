/** Finds the repository of a backup program: what refuses its password is no server, but files. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofVolumeText, volumeOf } from '../files/mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText, placeText } from '../peers/spec-peers.ts';

/** Variables from which backup programs read where their repository is. */
const VARIABLE = /^(?:RESTIC_REPOSITORY|BORG_REPO|RUSTIC_REPOSITORY|PBS_REPOSITORY)$/;
/** "restic -r /backup/repo", "borg create /backup/repo::daily" */
const IN_COMMAND =
  /\b(?:restic|rustic|kopia)\b[^;|&\n]{0,200}? (?:-r|--repo)[ =]([^\s"';|&$]{2,300})|\bborg [\w-]{3,12}\b[^;|&\n]{0,200}? ([^\s"';|&$:]{2,300})(?=::)/;

/** "repository /backup/repo (claim backup) of its variable RESTIC_REPOSITORY"; undefined: the container runs no backup program. */
export function backupRepository(facts: PodFacts, container: ContainerFacts): string | undefined {
  const variable = container.environment.find(({ name }) => VARIABLE.test(name));
  const [, a, b] = IN_COMMAND.exec(commandText(container.spec, container.environment)) ?? [];
  const place = variable?.value ?? a ?? b;
  if (place === undefined || place === '') return undefined;
  const path = place.replace(/^local:/, '');
  const mounted = path.startsWith('/') ? volumeOf(facts, container, path) : undefined;
  const from = variable === undefined ? '' : ` of its ${placeText(variable)}`;
  return `repository ${path}${mounted === undefined ? '' : ofVolumeText(mounted)}${from}`;
}
