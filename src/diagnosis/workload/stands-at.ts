/** At what a job stands that runs on and of which nothing fails: what its container said last, and the peer that it may wait for. Pure. */
import type { WorkloadEvidence } from '../evidence/workload-evidence.ts';
import type { ContainerFacts } from '../facts/pod/container-facts.ts';
import { onlyPeer } from '../facts/peers/dependencies.ts';
import { quoteLine } from '../facts/words/last-words.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import { peerText, placeText } from '../facts/peers/spec-peers.ts';
import { hasWord, quotable } from '../facts/words/text.ts';
import type { Quote } from '../finding.ts';

export interface Standing {
  /** "; the last that its container sync said: fetching http://erp:8080/export" */
  readonly says: string;
  readonly quotes: readonly Quote[];
}

/** Undefined: none of its containers runs, or neither log nor specification says anything. */
export function standingOf({ looked }: WorkloadEvidence): Standing | undefined {
  const running = looked.flatMap((one) =>
    podFacts(one).containers.filter(({ kind, status }) => kind !== 'sidecar' && status?.state?.running !== undefined),
  );
  const found = running.flatMap((container) => standing(container) ?? []);
  return found.find(({ quotes }) => quotes.length > 0) ?? found[0];
}

function standing(container: ContainerFacts): Standing | undefined {
  const { name, lines } = container;
  const line = lines.at(-1);
  const peer = onlyPeer(container);
  const named =
    peer === undefined || (line !== undefined && hasWord(line, peer.host))
      ? ''
      : `its ${placeText(peer)} names ${peerText(peer)}`;
  if (line === undefined)
    return named === '' ? undefined : { says: `; of its container ${name}, ${named}`, quotes: [] };
  const said = `; the last that its container ${name} said: ${quotable(line).replace(/[\s.]+$/, '')}`;
  return { says: named === '' ? said : `${said}; ${named}`, quotes: [quoteLine(container, line)] };
}
