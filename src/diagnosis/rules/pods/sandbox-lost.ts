/** Rule: the containers of a pod ended together with its sandbox, or with the shim that holds them. */
import { type Death, quoteDeath } from '../../facts/pod/deaths.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { formatAge, listed } from '../../facts/words/text.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

/** containerd's exit code for a container whose shim is gone; no program gave it. */
const UNKNOWN_EXIT_CODE = 255;

export const sandboxLost: PodRule = (facts) => {
  const ended = facts.containers.flatMap(({ name, killed, death, status }) =>
    killed?.because === 'sandbox' && death !== undefined ? [{ name, death, status }] : [],
  );
  const [first] = ended;
  if (first === undefined || facts.finished) return NOTHING;
  const isRunning = ended.every(({ status }) => status?.state?.running !== undefined);
  const boot = first.death.changes?.find(({ what }) => what === 'the node booted');
  const [event] = eventsWith(facts.events, 'SandboxChanged');
  const node = facts.pod.spec?.nodeName;
  return [
    {
      id: boot === undefined ? 'sandbox-lost' : 'node-booted',
      severity: boot !== undefined ? 'info' : isRunning ? 'warning' : 'critical',
      rank: 84,
      topic: 'sandbox',
      says: saysOf(facts, ended, { isRunning, isBoot: boot !== undefined }),
      evidence: [
        ...ended.slice(0, 4).map(({ name, death }) => quoteDeath(name, death)),
        ...(first.death.sandboxLost === undefined
          ? []
          : [{ source: 'object' as const, object: `pod/${facts.name}`, says: first.death.sandboxLost }]),
        ...(event === undefined ? [] : [quoteEvent(event)]),
      ],
      try: [
        ...(node === undefined ? [] : [facts.commands.whyNode(node)]),
        facts.commands.mendlet('history', `pod/${facts.name}`),
      ],
    },
  ];
};

interface Ended {
  readonly name: string;
  readonly death: Death;
}

function saysOf(
  { name: pod, now }: PodFacts,
  ended: readonly Ended[],
  { isRunning, isBoot }: { readonly isRunning: boolean; readonly isBoot: boolean },
): string {
  const isOne = ended.length === 1;
  const who = `${isOne ? 'container' : 'containers'} ${listed(ended.map(({ name }) => name))} of pod ${pod}`;
  const when = formatAge(now - Math.max(...ended.map(({ death }) => death.finishedMs)));
  const isShim = ended.some(({ death }) => death.exitCode === UNKNOWN_EXIT_CODE);
  const why = isBoot
    ? 'their node booted'
    : isShim
      ? `the process that holds the pod's containers on its node, its shim, was killed`
      : `the sandbox of the pod was lost`;
  const then = isRunning ? `; ${isOne ? 'it runs' : 'they run'} again` : '';
  return `${who} ended ${when} ago because ${isOne ? why.replace('their', 'its') : why}${then}`;
}
