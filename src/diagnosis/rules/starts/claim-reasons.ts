/** The scheduler's reasons that are about claims: who has one, and which volume or room one lacks. */
import type { PersistentVolume } from '../../evidence/kinds.ts';
import type { ClaimEvidence } from '../../evidence/pod-evidence.ts';
import { exclusiveClaims, mostRoom, usersOf } from '../../facts/placement/placement.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { keptText } from '../../facts/pod/rollout-overlap.ts';
import { listed } from '../../facts/words/text.ts';
import { requestedSize, wishText } from '../../facts/placement/volume-fit.ts';
import type { Quote } from '../../finding.ts';
import { recreate } from './recreate.ts';
import { field, type Reason } from './scheduler-reason.ts';

/** "the 5Ti of its claim big", of claims that have no volume yet. */
function unmadeText({ evidence }: PodFacts): string {
  const texts = unmade(evidence).map(({ name, claim }) => `the ${requestedSize(claim) ?? 'size'} of its claim ${name}`);
  return texts.length === 0 ? 'its claims' : listed(texts);
}

function unmade({ claims }: PodFacts['evidence']): readonly ClaimEvidence[] {
  return claims.filter(({ claim }) => claim?.status?.phase === 'Pending' && (claim.spec?.volumeName ?? '') === '');
}

/** The field of each claim. */
function ofClaims(
  claims: readonly ClaimEvidence[],
  path: string,
  value: (claim: ClaimEvidence) => unknown,
): readonly Quote[] {
  return claims.flatMap((one) =>
    field(path, value(one)).map((quote) => ({ ...quote, of: `persistentvolumeclaim/${one.name}` })),
  );
}

export const CLAIM_REASONS: readonly Reason[] = [
  {
    pattern: /PersistentVolumeClaim with the same name and ReadWriteOncePod/,
    says: (_, _nodes, facts) => {
      const claims = exclusiveClaims(facts);
      const holders = usersOf(facts, claims);
      const users = holders.map(({ metadata }) => `pod ${metadata?.name ?? ''}`);
      const which = `its ${claims.length > 1 ? 'claims' : 'claim'} ${listed(claims.map(({ name }) => name))}`.trim();
      return `only one pod may use ${which} (ReadWriteOncePod), and ${users.length === 0 ? 'another' : listed(users)} does${keptText(facts, holders)}`;
    },
    fields: (facts) => {
      const claims = exclusiveClaims(facts);
      const uses = `uses claim ${listed(claims.map(({ name }) => name))}`;
      return [
        ...ofClaims(claims, 'spec.accessModes', ({ claim }) => claim?.spec?.accessModes),
        ...usersOf(facts, claims).map(
          ({ metadata }): Quote => ({ source: 'object', object: `pod/${metadata?.name ?? ''}`, says: uses }),
        ),
      ];
    },
    try: (facts) => [
      ...recreate(facts, usersOf(facts, exclusiveClaims(facts))),
      ...exclusiveClaims(facts).map(({ name }) => facts.commands.kubectl('describe', `pvc/${name}`)),
      ...usersOf(facts, exclusiveClaims(facts)).map(({ metadata }) =>
        facts.commands.mendlet('why', `pod/${metadata?.name ?? ''}`),
      ),
    ],
  },
  {
    pattern: /did not have enough free storage/,
    says: (_, nodes, facts) => {
      const most = mostRoom(facts);
      return `${nodes} no room for ${unmadeText(facts)}${most === undefined ? '' : ` (${most.says})`}`;
    },
    fields: (facts) => {
      const most = mostRoom(facts);
      return [
        ...ofClaims(unmade(facts.evidence), 'spec.resources.requests.storage', ({ claim }) => requestedSize(claim)),
        ...(most === undefined ? [] : [most.quote]),
      ];
    },
    try: (facts) => [
      ...unmade(facts.evidence).map(({ name }) => facts.commands.kubectl('describe', `pvc/${name}`)),
      facts.commands.cluster('get', 'pv'),
    ],
  },
  {
    pattern: /didn't find available persistent volumes to bind/,
    says: (_, nodes, { evidence }) => {
      const claims = unmade(evidence).map(({ name, claim }) => `its claim ${name} (${wishText(claim)})`);
      return `${nodes} no free persistent volume for ${claims.length === 0 ? 'its claims' : listed(claims)}`;
    },
    fields: ({ evidence }) => ofClaims(unmade(evidence), 'spec', ({ claim }) => claim?.spec),
    try: (facts) => [facts.commands.cluster('get', 'pv')],
  },
  {
    pattern: /volume node affinity conflict|didn't match PersistentVolume's node affinity/,
    says: (_, nodes, { evidence }) => {
      const homes = evidence.claims.flatMap(({ name, volume, home }) => {
        const at = homesOf(volume).map((place) =>
          home?.missing === true && place === `node ${home.name}` ? `${place} (there is no such node)` : place,
        );
        return at.length === 0
          ? []
          : [`volume ${volume?.metadata?.name ?? ''} of its claim ${name}, which is on ${listed(at)}`];
      });
      return `${nodes} no way to ${homes.length === 0 ? 'its volume, which is bound to another' : listed(homes)}`;
    },
    fields: () => [],
    try: (facts) => [
      facts.commands.cluster(
        'get',
        'pv',
        '-o',
        'custom-columns=NAME:.metadata.name,CLAIM:.spec.claimRef.name,NODES:.spec.nodeAffinity',
      ),
    ],
  },
];

/** The nodes, or other places, to which a volume is bound. */
function homesOf(volume: PersistentVolume | undefined): readonly string[] {
  const terms = volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap(({ key, operator, values = [] }) =>
      operator === 'In'
        ? values.map((value) => (key === 'kubernetes.io/hostname' ? `node ${value}` : `${key}=${value}`))
        : [],
    ),
  );
}
