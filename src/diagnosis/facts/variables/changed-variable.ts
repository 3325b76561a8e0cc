/** The variable behind a headline that the pod's rollout has added or changed: what names the wrong peer, file or mode since then. Pure. */
import type { Rollout } from '../../evidence/rollout-evidence.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { environmentPeers } from '../peers/spec-peers.ts';
import { hasWord } from '../words/text.ts';

/** Shorter values stand in too many sentences. */
const MIN_VALUE = 3;
const MAX_VALUE = 200;

/** "; its variable API_HOST, which rollout 2 of deployment/front has added, names it"; empty: no such variable has to do with it. */
export function changedVariableText(container: ContainerFacts, says: string, rollout: Rollout): string {
  const { name, kind, environment } = container;
  const prefix = `${kind === 'container' ? 'container' : 'init container'} ${name} env `;
  for (const variable of environment) {
    const change = rollout.changes.find((each) => each.startsWith(`${prefix}${variable.name}: `));
    if (change === undefined || !isAbout(container, variable.name, variable.value, says)) continue;
    const what = change.slice(prefix.length + variable.name.length + 2);
    const before = / → /.test(what) ? ` (it was ${what.slice(0, what.lastIndexOf(' → '))})` : '';
    const did = what.startsWith('added') ? 'has added' : 'has changed';
    const which = `the rollout to revision ${rollout.revision} of ${rollout.workload}`;
    return hasWord(says, variable.name)
      ? `; ${which} ${did} that variable${before}`
      : `; its variable ${variable.name}, which ${which} ${did}${before}, names it`;
  }
  return '';
}

/** Whether the headline names the variable, its value, or a host in it. */
function isAbout({ environment }: ContainerFacts, name: string, value: string, says: string): boolean {
  if (hasWord(says, name)) return true;
  const own = environment.filter((each) => each.name === name);
  const hosts = environmentPeers(own).map(({ host }) => host);
  return [value, ...hosts].some(
    (text) => text.length >= MIN_VALUE && text.length <= MAX_VALUE && !/^\d+$/.test(text) && hasWord(says, text),
  );
}
