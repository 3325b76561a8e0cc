/** Rule: a container runs and does not get on, because another process has a lock that it waits for. Its log may say so at any level. */
import { endingOf } from '../../facts/pod/ending.ts';
import { quoteLine } from '../../facts/words/last-words.ts';
import { lockHolder, lockWaitOf } from '../../facts/pod/lock-holders.ts';
import { quotable } from '../../facts/words/text.ts';
import { eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, title } from './exit-code.ts';
import { isLateForReady } from '../probes/readiness.ts';
import { recreate } from '../starts/recreate.ts';

export const lockHeld: PodRule = eachContainer((facts, container) => {
  const { killed, name } = container;
  const isKilled = killed?.because === 'liveness' || killed?.because === 'startup';
  const isLate = isLateForReady(facts, container) && endingOf(facts, container) === undefined;
  const wait = isKilled || isLate ? lockWaitOf(container) : undefined;
  if (facts.deleting || facts.finished || wait === undefined) return NOTHING;
  const holder = lockHolder(facts, container);
  const follows = isKilled ? `until its ${killed.because} probe kills it` : 'and is not ready';
  return [
    {
      id: 'already-running',
      severity: 'critical',
      // Above what its probes say of it, which only follows.
      rank: 90,
      topic: isKilled ? `end/${name}` : `ready/${name}`,
      container: name,
      says: `${title(container)} waits for a lock that ${holder === undefined ? 'another process has' : 'another pod has'}, ${follows}: ${quotable(wait.says).replace(/\.+$/, '')}${holder === undefined ? '' : `; ${holder.says}`}`,
      evidence: [quoteLine(container, wait.line), ...(holder?.quotes ?? [])],
      try: [
        ...recreate(facts, holder?.pods ?? []),
        isKilled ? commandForLog(facts, container) : facts.commands.kubectl('logs', facts.name, '-c', container.name),
      ],
    },
  ];
});
