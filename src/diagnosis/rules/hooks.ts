/** Rule: a lifecycle hook failed; a failed postStart hook ends its container. */
import { eventsWith, lastSeenMs, quoteEvent } from '../facts/events.ts';
import { innermost } from '../facts/innermost.ts';
import { RECENT_DEATH_MS } from '../limits.ts';
import { eachContainer, NOTHING, type PodRule } from '../rule.ts';
import { commandForLog, title } from './exit-code.ts';

export const hooks: PodRule = eachContainer((facts, container) => {
  const [event] = eventsWith(container.events, 'FailedPostStartHook');
  const waiting = container.status?.state?.waiting;
  const troubled = container.trouble !== 'none' || waiting?.reason === 'PostStartHookError';
  if (event === undefined || !troubled || facts.now - lastSeenMs(event) > RECENT_DEATH_MS) return NOTHING;
  const hook = container.spec.lifecycle?.postStart;
  return [
    {
      id: 'post-start-hook',
      severity: 'critical',
      rank: 87,
      topic: `end/${container.name}`,
      container: container.name,
      says: `${title(container)} is ended because its postStart hook fails${saidByHook(event.message)}`,
      evidence: [
        quoteEvent(event),
        ...(waiting?.message === undefined || waiting.reason !== 'PostStartHookError'
          ? []
          : [{ source: 'field' as const, path: `${container.path}: state.waiting`, value: waiting.message }]),
        {
          source: 'field',
          path: `${container.path}.lifecycle.postStart`,
          value: JSON.stringify(hook ?? {}).slice(0, 300),
        },
      ],
      try: [commandForLog(facts, container), ...facts.commands.edit],
    },
  ];
});

/** What the hook said: "exited with 127: sh: /app/warm.sh: not found". */
function saidByHook(message = ''): string {
  const said = / failed - error: (.+)$/s.exec(message)?.[1];
  return said === undefined ? '' : `: ${innermost(said.replace(/, message: "".*$/s, ''))}`;
}
