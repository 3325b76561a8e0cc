/** Finds the only ConfigMap or Secret whose mount is called as what an error speaks of. Pure. */
import { fileIn } from '../../../log-analysis/index.ts';
import type { RankedFinding } from '../../finding.ts';
import { configMounts } from './config-files.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { configsBehind } from '../files/mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

const MIN_LIKE = 5;

/** The only Secret or ConfigMap whose mount is called as what the error speaks of: a licence, an allowlist. */
export function likelyMount(
  facts: PodFacts,
  container: ContainerFacts,
  { id, says }: RankedFinding,
): string | undefined {
  if (
    id !== 'exit-code' ||
    fileIn(container.reading.decisive?.line ?? '') !== undefined ||
    /\bof (?:ConfigMap|Secret) [a-z0-9]/.test(says)
  )
    return undefined;
  const own = commandText(container.spec).toLowerCase();
  // What it quotes is the name of something else, and that of its program stands in all of its lines.
  const line = (container.reading.decisive?.line ?? '').replaceAll(/["'`][^"'`]{1,100}["'`]/g, ' ').toLowerCase();
  const said = new Set((line.match(/[a-z]{5,40}/g) ?? []).filter((word) => !own.includes(word)));
  const like = configMounts(facts, container).flatMap((mounted) => {
    const [config, ...others] = configsBehind(mounted);
    const words = [...mounted.mountPath.split(/[^A-Za-z]+/), ...(config?.name ?? '').split('-')].map((word) =>
      word.toLowerCase(),
    );
    const isLike = words.some(
      (word) => word.length >= MIN_LIKE && [...said].some((one) => one === word || one === `${word}s`),
    );
    return config === undefined || others.length > 0 || !isLike ? [] : [{ config, at: mounted.mountPath }];
  });
  const [only, ...more] = like;
  return only === undefined || more.length > 0
    ? undefined
    : `${only.config.kind} ${only.config.name} is mounted at ${only.at}`;
}
