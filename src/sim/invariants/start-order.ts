/** Invariant: containers start in their order. */
import type { Container, Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { behaviourOf } from '../runtime/behaviour.ts';
import { InvariantViolation } from './violation.ts';

/** The newest container of a name in one sandbox. */
interface Run {
  readonly startedAt: number;
  /** Mono ms and exit code; absent while it runs. */
  readonly ended?: { readonly at: number; readonly exitCode: number };
  /** Longest time that any container of this name ran here, ms. */
  readonly longestMs: number;
}

/**
 * Within a sandbox each init container starts only when those before it have succeeded there, and the sidecars before it
 * have started (and answered their startup probe); app containers only after all of them.
 */
export function keepsStartOrder(facts: Facts): void {
  const pods = new Map<string, Pod>();
  const runs = new Map<string, Run>();
  facts.on({
    'pod-written': ({ pod }) => void pods.set(pod.metadata?.uid ?? '', pod),
    started: ({ uid, sandbox, container, attempt }, mono) => {
      const problem = outOfOrder(pods.get(uid), container, (name) => runs.get(`${sandbox}/${name}`), mono);
      if (problem !== undefined) {
        throw new InvariantViolation('start order', `${uid} ${container}#${attempt} started ${problem}`);
      }
      const longestMs = runs.get(`${sandbox}/${container}`)?.longestMs ?? 0;
      runs.set(`${sandbox}/${container}`, { startedAt: mono, longestMs });
    },
    exited: ({ sandbox, container, exitCode }, mono) => {
      const run = runs.get(`${sandbox}/${container}`);
      if (run === undefined) return;
      const longestMs = Math.max(run.longestMs, mono - run.startedAt);
      runs.set(`${sandbox}/${container}`, { ...run, ended: { at: mono, exitCode }, longestMs });
    },
  });
}

function outOfOrder(
  pod: Pod | undefined,
  name: string,
  runOf: (name: string) => Run | undefined,
  now: number,
): string | undefined {
  const inits = pod?.spec?.initContainers ?? [];
  const index = inits.findIndex((init) => init.name === name);
  // A sidecar that has started before may restart at any time; an ephemeral container has no order.
  if (index >= 0 && isSidecar(inits[index]) && runOf(name) !== undefined) return undefined;
  const isApp = pod?.spec?.containers.some((container) => container.name === name) === true;
  if (index < 0 && !isApp) return undefined;
  for (const earlier of index < 0 ? inits : inits.slice(0, index)) {
    const problem = isSidecar(earlier)
      ? sidecarProblem(earlier, runOf(earlier.name), now)
      : initProblem(earlier, runOf(earlier.name));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function initProblem({ name }: Container, run: Run | undefined): string | undefined {
  if (run === undefined) return `before ${name} had`;
  if (run.ended === undefined) return `while ${name} ran`;
  return run.ended.exitCode === 0 ? undefined : `after ${name} had failed`;
}

function sidecarProblem(container: Container, run: Run | undefined, now: number): string | undefined {
  if (run === undefined) return `before sidecar ${container.name} had`;
  if (container.startupProbe === undefined) return undefined;
  const ranMs = Math.max(run.longestMs, run.ended === undefined ? now - run.startedAt : 0);
  const { readyAfterMs = 0 } = behaviourOf(container.command ?? []);
  return ranMs >= readyAfterMs ? undefined : `before sidecar ${container.name} could answer its startup probe`;
}

function isSidecar(container: Container | undefined): boolean {
  return container?.restartPolicy === 'Always';
}
