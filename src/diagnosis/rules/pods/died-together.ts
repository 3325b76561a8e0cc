/** Rule: containers of a pod ended within the same second or two, and what their ends have in common. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { type Death, isOutOfMemory, quoteDeath } from '../../facts/pod/deaths.ts';
import { dependencyTrouble } from '../../facts/peers/dependencies.ts';
import { quoteLine } from '../../facts/words/last-words.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { formatAge, listed } from '../../facts/words/text.ts';
import type { Quote } from '../../finding.ts';
import { formatHost } from '../../../log-analysis/index.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

const TOGETHER_MS = 2000;

interface Ended {
  readonly container: ContainerFacts;
  readonly death: Death;
}

export const diedTogether: PodRule = (facts) => {
  const ended = together(facts);
  const [first] = ended;
  const common = first === undefined ? undefined : commonOf(facts, ended);
  if (first === undefined || common === undefined) return NOTHING;
  const names = listed(ended.map(({ container }) => container.name));
  const when = formatAge(facts.now - Math.max(...ended.map(({ death }) => death.finishedMs)));
  return [
    {
      id: 'died-together',
      severity: 'warning',
      rank: common.rank,
      topic: 'together',
      says: `containers ${names} of pod ${facts.name} ended at the same time, ${when} ago: ${common.says}`,
      evidence: [
        ...ended.slice(0, 3).map(({ container, death }) => quoteDeath(container.name, death)),
        ...common.quotes,
      ],
      try: [facts.commands.mendlet('history', `pod/${facts.name}`)],
    },
  ];
};

/** The containers whose last ends lie close together; those that ended with their sandbox have a rule of their own. */
function together({ containers }: PodFacts): readonly Ended[] {
  const all = containers.flatMap((container): readonly Ended[] => {
    const { death, killed, kind } = container;
    return death === undefined || kind === 'init' || killed?.because === 'sandbox' || death.exitCode === 0
      ? []
      : [{ container, death }];
  });
  const newest = Math.max(...all.map(({ death }) => death.finishedMs));
  const close = all.filter(({ death }) => newest - death.finishedMs <= TOGETHER_MS);
  return close.length > 1 ? close : [];
}

interface Common {
  readonly says: string;
  readonly rank: number;
  readonly quotes: readonly Quote[];
}

/** What the ends have in common; two ends at one time without anything in common are a coincidence. */
function commonOf(facts: PodFacts, ended: readonly Ended[]): Common | undefined {
  return (
    ofMemory(facts, ended) ??
    ofPeer(ended) ??
    ofEachOther(ended) ??
    ofChange(ended) ??
    ofWords(ended) ??
    ofSignal(ended)
  );
}

function ofMemory({ pod }: PodFacts, ended: readonly Ended[]): Common | undefined {
  const killed = ended.filter(({ death }) => isOutOfMemory(death));
  if (killed.length < ended.length) return undefined;
  const limit = pod.spec?.resources?.limits?.['memory'];
  const whose =
    limit === undefined ? 'all were killed for memory' : `all were killed for memory, of which their pod has ${limit}`;
  const quotes: readonly Quote[] =
    limit === undefined ? [] : [{ source: 'field', path: 'spec.resources.limits.memory', value: limit }];
  return { says: whose, rank: 60, quotes };
}

function ofPeer(ended: readonly Ended[]): Common | undefined {
  const troubles = ended.map(({ container }) => ({ container, trouble: dependencyTrouble(container) }));
  const [first] = troubles;
  const host = first?.trouble?.host;
  if (first?.trouble === undefined || host === undefined || isOwn(host)) return undefined;
  if (!troubles.every(({ trouble }) => trouble?.host === host && trouble.port === first.trouble?.port))
    return undefined;
  const quotes = troubles.flatMap(({ container, trouble }) =>
    trouble === undefined ? [] : [quoteLine(container, trouble.word.line)],
  );
  return { says: `all of them need ${formatHost(host, first.trouble.port)}`, rank: 60, quotes };
}

/** One of them was refused by the pod's own address, where another had listened. */
function ofEachOther(ended: readonly Ended[]): Common | undefined {
  for (const { container, death } of ended) {
    const trouble = dependencyTrouble(container);
    if (trouble?.host === undefined || trouble.port === undefined || !isOwn(trouble.host)) continue;
    const other = ended.find(
      (each) =>
        each.container !== container &&
        each.death.finishedMs <= death.finishedMs &&
        (each.container.spec.ports ?? []).some(({ containerPort }) => containerPort === trouble.port),
    );
    if (other === undefined) continue;
    const says = `container ${container.name} needs container ${other.container.name}, which listens on port ${trouble.port} of their pod and ended first`;
    return { says, rank: 62, quotes: [quoteLine(container, trouble.word.line)] };
  }
  return undefined;
}

/** A change on the node or of the pod, which the node noted before each of the ends. */
function ofChange(ended: readonly Ended[]): Common | undefined {
  const [first, ...others] = ended;
  const found = first?.death.changes?.find(({ at, what }) => {
    const isClose = Math.abs(Date.parse(at) - first.death.finishedMs) <= 10_000;
    return isClose && others.every(({ death }) => death.changes?.some((change) => change.what === what) === true);
  });
  if (found === undefined) return undefined;
  return {
    says: `just then ${found.what}`,
    rank: 61,
    quotes: [{ source: 'object', object: 'before these ends', says: `${found.at} ${found.what}` }],
  };
}

function ofWords(ended: readonly Ended[]): Common | undefined {
  const [first] = ended;
  const line = first?.container.reading.decisive?.line;
  if (line === undefined || !ended.every(({ container }) => container.reading.decisive?.line === line))
    return undefined;
  return { says: `all of them say: ${line.replace(/\.+$/, '')}`, rank: 39, quotes: [] };
}

/** The same signal, which none of them gives itself. */
function ofSignal(ended: readonly Ended[]): Common | undefined {
  const [first] = ended;
  const signal = first?.death.signal;
  if (signal !== 'SIGKILL' && signal !== 'SIGTERM') return undefined;
  const isSame = ended.every(({ container, death }) => death.signal === signal && container.killed === undefined);
  if (!isSame) return undefined;
  return {
    says: `all of them got ${signal}, and not from mendlet: something outside the pod sent it`,
    rank: 46,
    quotes: [],
  };
}

function isOwn(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
