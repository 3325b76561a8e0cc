/** Tells of a refused token of a service account that it is made for somebody else. Pure. */
import type { ContainerFacts } from './container-facts.ts';
import { mountedVolumes } from '../files/mounts.ts';
import type { PodFacts } from './pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

interface MadeFor {
  readonly volume: string;
  readonly file: string;
  readonly audience: string;
}

/**
 * " (the token of its volume tok (/tok/token) is for the audience vault alone)"
 *
 * @param peer who refused it; undefined: that is not known
 */
export function audienceText(
  facts: PodFacts,
  container: ContainerFacts,
  { line, peer }: { readonly line: string; readonly peer: string | undefined },
): string {
  if (!/\b401\b|\bunauthori[sz]ed\b|\btoken\b|\baudience\b/i.test(line)) return '';
  const all = tokensFor(facts, container);
  const told = textsOf(facts, container);
  const named = all.filter(({ file }) => told.some((text) => text.includes(file)));
  const [only, ...more] = named.length > 0 ? named : all;
  if (only === undefined)
    return /\baudience\b/i.test(line) ? ' (its pod has no token for another audience than the API server)' : '';
  // Whoever it is made for has another reason.
  const isRight =
    peer !== undefined && only.audience.split(/[^\w-]+/).some((word) => word.length > 2 && peer.includes(word));
  return more.length > 0 || isRight
    ? ''
    : ` (the token of its volume ${only.volume} (${only.file}) is for the audience ${only.audience} alone)`;
}

function tokensFor(facts: PodFacts, container: ContainerFacts): readonly MadeFor[] {
  return mountedVolumes(facts, container).flatMap(({ volume, mountPath }) =>
    (volume.projected?.sources ?? []).flatMap(({ serviceAccountToken: token }): readonly MadeFor[] =>
      token?.audience === undefined || token.audience === ''
        ? []
        : [{ volume: volume.name, file: `${mountPath.replace(/\/+$/, '')}/${token.path}`, audience: token.audience }],
    ),
  );
}

/** Where its specification may name the file. */
function textsOf({ evidence }: PodFacts, { spec, environment }: ContainerFacts): readonly string[] {
  const texts = evidence.configs.flatMap(({ texts: all = {} }) => Object.values(all));
  return [commandText(spec, environment), ...environment.map(({ value }) => value), ...texts];
}
