/** Rule: a container was told to end some time ago and still runs, because its program or its preStop hook takes long. */
import type { Container } from '../../evidence/kinds.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endingOf, endingQuotes, whatFollows } from '../../facts/pod/ending.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import { quotable } from '../../facts/words/text.ts';
import { SLOW_END_MS } from '../../limits.ts';
import { eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { title } from '../ends/exit-code.ts';

type LifecycleHandler = NonNullable<NonNullable<Container['lifecycle']>['preStop']>;

/** Characters of a hook's command in a headline. */
const MAX_HOOK_LENGTH = 100;

/** "sh -c 'sleep 25'", "GET /drain", "sleep 5s": what the hook does. */
function hookText({ exec, httpGet, sleep }: LifecycleHandler): string {
  if (exec?.command !== undefined) return quotable(exec.command.join(' ')).slice(0, MAX_HOOK_LENGTH);
  if (httpGet !== undefined) return `GET ${httpGet.path ?? '/'}`;
  return sleep === undefined ? 'unknown' : `sleep ${sleep.seconds}s`;
}

const SHELL = /^(?:\/usr)?(?:\/bin\/)?(?:ba|da|a|z|k)?sh$/;

/** A shell that starts its program as one command of several stays the first process, on which SIGTERM has no effect. */
function shellText({ spec }: ContainerFacts): string | undefined {
  const words = [...(spec.command ?? []), ...(spec.args ?? [])];
  const [shell = '', flag = '', script = ''] = words;
  if (!SHELL.test(shell) || !/^-[a-z]*c$/.test(flag)) return undefined;
  const isCompound = /[;\n|&]\s*\S/.test(script.trim());
  if (!isCompound || /(?:^|[\s;&])(?:exec|trap)\s/.test(script)) return undefined;
  return `its first process is ${shell} ${flag}, which does not pass SIGTERM to the program that it waits for: put exec before that`;
}

export const endingSlowly: PodRule = eachContainer((facts, container) => {
  const ending = endingOf(facts, container);
  // The rule about probes tells of kills for a probe.
  if (ending === undefined || ending.because === 'liveness' || ending.because === 'startup') return NOTHING;
  if (facts.now - ending.sinceMs < SLOW_END_MS) return NOTHING;
  // A deletion that is late is a problem of its own.
  if (facts.deleting && ending.killMs <= facts.now) return NOTHING;
  const hook = container.spec.lifecycle?.preStop;
  const [failed] = eventsWith(container.events, 'FailedPreStopHook');
  const why =
    failed !== undefined
      ? 'its preStop hook failed, and its program goes on'
      : hook === undefined
        ? (shellText(container) ?? 'its program does not end on SIGTERM')
        : `its preStop hook (${hookText(hook)}), or its program after it, takes long`;
  return [
    {
      id: hook === undefined ? 'slow-end' : 'slow-pre-stop',
      severity: 'info',
      rank: 60,
      topic: `ending/${container.name}`,
      container: container.name,
      says: `${title(container)} ends slowly (${why}): ${whatFollows(facts, container, ending)}`,
      evidence: [...endingQuotes(container, ending), ...(failed === undefined ? [] : [quoteEvent(failed)])],
      try: [
        facts.commands.kubectl('logs', facts.name, '-c', container.name),
        ...(facts.deleting ? [facts.commands.kubectl('delete', `pod/${facts.name}`, '--grace-period=1')] : []),
      ],
    },
  ];
});
