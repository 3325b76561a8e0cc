/** Rule: the volume of a claim is a folder of one node, and that node, the folder or its disk is lost. */
import { volumeChoices, type VolumeTrouble, volumeTrouble } from '../../facts/placement/local-volumes.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import type { RankedFinding } from '../../finding.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

const RANKS = { 'node-lost': 99, 'folder-lost': 97, 'disk-problem': 96 } as const;

export const volumeAway: PodRule = (facts) => {
  if (facts.finished) return NOTHING;
  return facts.evidence.claims.flatMap((claim) => {
    const trouble = volumeTrouble(claim, facts.now);
    return trouble === undefined ? [] : [finding(facts, claim.name, trouble)];
  });
};

function finding(facts: PodFacts, claim: string, trouble: VolumeTrouble): RankedFinding {
  return {
    id: `volume-${trouble.kind}`,
    severity: 'critical',
    rank: RANKS[trouble.kind],
    topic: facts.deleting ? 'delete' : 'volumes',
    says: says(facts, claim, trouble),
    evidence: trouble.evidence,
    try: volumeChoices(trouble, claim, facts.commands),
  };
}

function says({ name }: PodFacts, claim: string, { kind, node, what, volume }: VolumeTrouble): string {
  const lives = `the volume of its claim ${claim} is a folder on that node's disk`;
  if (kind === 'node-lost')
    return `pod ${name} waits for node ${node}, which ${what}: ${lives}, so no other node can run it`;
  if (kind === 'folder-lost') return `the data of pod ${name} is lost: node ${node} ${what}, of volume ${volume}`;
  return `the disk of the volume of claim ${claim} of pod ${name} does not work: node ${node} ${what}`;
}
