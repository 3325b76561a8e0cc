/** Rule: a lifecycle hook failed; a failed postStart hook ends its container. */
import { eventsWith, lastSeenMs, quoteEvent } from '../../facts/pod/events.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { hookTrouble } from '../../facts/peers/dependencies.ts';
import { hookWords } from '../../facts/words/hook-words.ts';
import { RECENT_DEATH_MS } from '../../limits.ts';
import { eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { serviceCommands, serviceQuote, servicesBehind } from '../peers/dependencies.ts';
import { because } from '../peers/peer-words.ts';
import { commandForLog, title } from '../ends/exit-code.ts';
import { unexpandedIn } from '../probes/unexpanded-probes.ts';

export const hooks: PodRule = eachContainer((facts, container) => {
  const [event] = eventsWith(container.events, 'FailedPostStartHook');
  const waiting = container.status?.state?.waiting;
  const troubled = container.trouble !== 'none' || waiting?.reason === 'PostStartHookError';
  if (event === undefined || !troubled || facts.now - lastSeenMs(event) > RECENT_DEATH_MS) return NOTHING;
  const hook = container.spec.lifecycle?.postStart;
  const behind = servicesBehind(facts, hookTrouble(container)?.host, []);
  const raw = hook === undefined ? undefined : unexpandedIn(facts, container.spec, 'hook', hook);
  const notFilledIn = raw === undefined ? '' : `: ${raw.where} has ${raw.reference} as it stands: ${raw.hint}`;
  return [
    {
      id: raw === undefined ? 'post-start-hook' : 'unexpanded-variable',
      severity: 'critical',
      rank: raw === undefined ? 87 : 92,
      topic: `end/${container.name}`,
      container: container.name,
      says: `${title(container)} is ended because its postStart hook fails${notFilledIn}${raw === undefined ? saidByHook(container, behind) : ''}`,
      evidence: [
        quoteEvent(event),
        ...behind.map(serviceQuote),
        ...(waiting?.message === undefined || waiting.reason !== 'PostStartHookError'
          ? []
          : [{ source: 'field' as const, path: `${container.path}: state.waiting`, value: waiting.message }]),
        {
          source: 'field',
          path: `${container.path}.lifecycle.postStart`,
          value: JSON.stringify(hook ?? {}).slice(0, 300),
        },
      ],
      try: [
        ...behind.flatMap((service) => serviceCommands(facts, service)),
        commandForLog(facts, container),
        ...facts.commands.edit,
      ],
    },
  ];
});

/** What the hook said, and what is known of the service that did not answer it: ": sh: /app/warm.sh: not found (exit code 127)". */
function saidByHook(container: ContainerFacts, behind: readonly ServiceEvidence[]): string {
  const words = hookWords(container);
  if (words === undefined) return '';
  const code = words.exitCode === undefined ? '' : ` (exit code ${words.exitCode})`;
  const trouble = hookTrouble(container);
  return `: ${words.said}${code}${trouble === undefined ? '' : because(trouble.kind, behind, trouble.port)}`;
}
