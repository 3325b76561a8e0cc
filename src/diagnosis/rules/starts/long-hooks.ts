/** Rule: a postStart hook does not come to its end, and until then its container counts as not started. */
import { peersOfUrls } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { isItself } from '../../facts/peers/dependencies.ts';
import { eventsWith, lastSeenMs, quoteEvent } from '../../facts/pod/events.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { formatAge, listed, quotable } from '../../facts/words/text.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { title } from '../ends/exit-code.ts';

/** Hooks of warm-ups take their time, ms. */
const NORMAL_MS = 15_000;
const LONG_MS = 60_000;

const ofContainer: ContainerRule = (facts, container) => {
  const hook = container.spec.lifecycle?.postStart;
  const { waiting } = container.status?.state ?? {};
  const isStarting = waiting?.reason === 'ContainerCreating' || waiting?.reason === 'PodInitializing';
  const [started] = eventsWith(container.events, 'Started');
  if (hook === undefined || hook === null || !isStarting || started === undefined) return NOTHING;
  const sinceMs = lastSeenMs(started);
  const endedMs = container.deaths[0]?.finishedMs ?? 0;
  const forMs = facts.now - sinceMs;
  if (endedMs >= sinceMs || forMs < NORMAL_MS) return NOTHING;
  return [
    {
      id: 'post-start-hook',
      severity: forMs >= LONG_MS ? 'critical' : 'warning',
      rank: 85,
      topic: `ready/${container.name}`,
      container: container.name,
      says: `${title(container)} was started ${formatAge(forMs)} ago, and its postStart hook has not come to its end: until then it does not count as started${askedText(facts, hook)}`,
      evidence: [
        quoteEvent(started),
        {
          source: 'field',
          path: `${container.path}.lifecycle.postStart`,
          value: quotable(JSON.stringify(hook)).slice(0, 300),
        },
      ],
      try: [...facts.commands.edit],
    },
  ];
};

export const longHooks: PodRule = eachContainer(ofContainer);

type Hook = NonNullable<NonNullable<ContainerFacts['spec']['lifecycle']>['postStart']>;

/** "; it asks localhost:8080, and its containers have port 9090" */
function askedText({ containers }: PodFacts, { exec, httpGet }: Hook): string {
  const [peer] =
    httpGet === undefined || httpGet === null
      ? peersOfUrls((exec?.command ?? []).join(' '))
      : [{ host: httpGet.host ?? 'localhost', port: Number(httpGet.port) }];
  if (peer === undefined) return '';
  const port = peer.port ?? 80;
  const declared = [
    ...new Set(containers.flatMap(({ spec }) => (spec.ports ?? []).map(({ containerPort }) => containerPort))),
  ];
  const has =
    isItself(peer) && declared.length > 0 && !declared.includes(port)
      ? `, and its pod has port ${listed(declared.map(String))}`
      : '';
  return `; it asks ${peer.host}:${port}${has}`;
}
