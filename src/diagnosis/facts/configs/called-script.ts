/** Finds the script of a ConfigMap that a container's command runs. Pure. */
import { volumeOf } from '../files/mounts.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { fileAt } from './config-files.ts';
import { textOf } from './config-lines.ts';

const CALLS = /^(?:exec|env|(?:\/\w+)*\/?(?:ba|da|a|k|z)?sh|-\w{1,4}|--|(?:\/[\w-]+)*\/?(?:tini|dumb-init))$/;
const MAX_CHARACTERS = 8000;

export interface CalledScript {
  readonly file: string;
  /** "ConfigMap web" */
  readonly of: string;
  readonly text: string;
}

/** Undefined: the command runs none, or nothing is known of it. */
export function calledScript(facts: PodFacts, container: ContainerFacts): CalledScript | undefined {
  const words = [...(container.spec.command ?? []), ...(container.spec.args ?? [])];
  const file = words.find((word) => !CALLS.test(word));
  const mounted = file?.startsWith('/') === true ? volumeOf(facts, container, file) : undefined;
  if (file === undefined || mounted === undefined) return undefined;
  const found = fileAt(facts, mounted, file);
  const text = textOf(facts, found);
  const { config } = found.origin ?? {};
  return text === undefined || config === undefined
    ? undefined
    : { file, of: `${config.kind} ${config.name}`, text: text.slice(0, MAX_CHARACTERS) };
}
