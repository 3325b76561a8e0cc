/** The ladder's texts in events, conditions and waiting reasons. Pure. */
import { formatDurationMs, type HealingScope, type Pod, type ResolvedRung } from '../../../api/index.ts';
import type { HealingNote } from '../pod-memory.ts';
import type { LadderAnswer } from './climb.ts';
import { type DeathFacts, deathText } from './death-facts.ts';

const DOING: Readonly<Record<HealingScope, string>> = {
  container: 'restarting the container',
  containers: 'restarting all containers',
  pod: 'restarting the whole pod',
  node: 'asking to go on on another node',
};

const RESTARTS_OF: Readonly<Record<HealingScope, string>> = {
  container: 'of the container',
  containers: 'of all containers',
  pod: 'of the whole pod',
  node: 'on another node',
};

/** "restarting the whole pod". */
export function doingText(scope: HealingScope): string {
  return DOING[scope];
}

/** "2 of 3 restarts of the container within 10m0s". */
export function countText({ scope, attempts, windowMs }: ResolvedRung, count: number): string {
  if (scope === 'node') return 'has asked to go on on another node';
  return `${Math.min(count, attempts)} of ${attempts} restarts ${RESTARTS_OF[scope]}${within(windowMs)}`;
}

function within(windowMs: number | undefined): string {
  return windowMs === undefined ? '' : ` within ${formatDurationMs(windowMs)}`;
}

/** "container web died 3 times within 10m0s: restarting the whole pod (1 of 2)". */
export function escalationText(answer: Extract<LadderAnswer, { kind: 'restart' }>, death: DeathFacts): string {
  const { rung, attempt, from } = answer;
  const often = from !== undefined && from.attempts >= from.rung.attempts;
  const why = often ? timesText(death.container, from.attempts + 1, from.rung) : deathText(death);
  const count = rung.scope === 'node' ? '' : ` (${attempt} of ${rung.attempts})`;
  return `${why}: ${doingText(rung.scope)}${count}`;
}

function timesText(container: string, deaths: number, { scope, windowMs }: ResolvedRung): string {
  if (scope === 'container') return `container ${container} died ${deaths} times${within(windowMs)}`;
  return `container ${container} died again after ${restartsText(deaths - 1)} ${RESTARTS_OF[scope]}${within(windowMs)}`;
}

function restartsText(count: number): string {
  return count === 1 ? '1 restart' : `${count} restarts`;
}

/** Says why nothing more is tried, what was tried, and how to continue. `verdict`: the healing controller's message. */
export function stopText(
  pod: Pod,
  note: HealingNote,
  death: DeathFacts,
  answer: Pick<Extract<LadderAnswer, { kind: 'stop' }>, 'reason' | 'skippedNode'>,
  verdict?: string,
): string {
  const parts = [deathText(death), triedText(note), whyText(note, answer, verdict)].filter((part) => part !== '');
  return `${parts.join('; ')}. To go on: ${restartCommand(pod)}`;
}

function triedText({ attempts }: HealingNote): string {
  const count = (scope: HealingScope) =>
    attempts.filter((attempt) => attempt.scope === scope && attempt.uncounted === undefined).length;
  const tried = (['container', 'containers', 'pod'] as const)
    .filter((scope) => count(scope) > 0)
    .map((scope) => `${count(scope)} ${RESTARTS_OF[scope]}`);
  return tried.length === 0 ? '' : `tried restarts: ${tried.join(', ')}`;
}

function whyText(
  { podRestarts }: HealingNote,
  { reason, skippedNode }: Pick<Extract<LadderAnswer, { kind: 'stop' }>, 'reason' | 'skippedNode'>,
  verdict: string | undefined,
): string {
  switch (reason) {
    case 'RuleStop':
      return 'a rule of its healing policy starts it no more';
    case 'NoOtherNode':
      return verdict ?? 'there is no other node for the pod';
    case 'MaxPodRestarts':
      return `its healing policy allows ${podRestarts === 0 ? 'no restart' : restartsText(podRestarts)} of the whole pod`;
    case 'AttemptsExhausted':
      return skippedNode ? 'no controller would make the pod anew on another node' : '';
  }
}

/** What a person writes to have it restarted, whatever its ladder says. */
export function restartCommand({ metadata }: Pod): string {
  const { name, namespace = 'default' } = metadata ?? {};
  return `mendlet restart pod/${name}${namespace === 'default' ? '' : ` -n ${namespace}`} --force`;
}
