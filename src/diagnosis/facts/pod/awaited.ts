/** Says what a pod waits for that is not as wanted yet and does not fail: an init container, a probe, a start. Pure. */
import { parseTime } from '../../../lib/index.ts';
import type { Probe } from '../../evidence/kinds.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';
import { probePort } from '../probes/probe-port.ts';
import { formatAge, listed, quotable } from '../words/text.ts';

/** Containers of whom it is told. */
const MAX_TOLD = 3;

/** "init container migrate has run for 12s, and the others wait for its end"; undefined: nothing is known to be waited for. */
export function awaitedText(facts: PodFacts): string | undefined {
  if (facts.finished || facts.deleting) return undefined;
  const first = facts.containers.find(
    ({ kind, status }) =>
      kind !== 'container' && status?.state?.running !== undefined && !(kind === 'sidecar' && status.started === true),
  );
  if (first !== undefined) return `${named(first)} has run for ${runTime(facts, first)}, and ${othersText(first)}`;
  const unready = facts.containers.filter(
    ({ kind, status }) => kind !== 'init' && status?.state?.running !== undefined && !status.ready,
  );
  if (unready.length > 0) return listed(unready.slice(0, MAX_TOLD).map((each) => unreadyText(facts, each)));
  const created = facts.containers.find(
    ({ kind, status }) => kind === 'container' && status?.state?.waiting?.reason === 'ContainerCreating',
  );
  return created === undefined ? undefined : `${named(created)} is being created for ${formatAge(facts.ageMs)}`;
}

function othersText({ kind, spec }: ContainerFacts): string {
  if (kind === 'init') return 'the others wait for its end';
  return `the others wait for its start${spec.startupProbe === undefined ? '' : ', of which its startup probe decides'}`;
}

function unreadyText(facts: PodFacts, container: ContainerFacts): string {
  const { spec, status } = container;
  const since = `${named(container)} has run for ${runTime(facts, container)} and is not ready`;
  const isStarting = spec.startupProbe !== undefined && status?.started !== true;
  const probe = isStarting ? spec.startupProbe : spec.readinessProbe;
  if (probe === undefined) return since;
  return `${since}: its ${isStarting ? 'startup' : 'readiness'} probe (${askedText(container, probe)}) has not succeeded${delayText(facts, container, probe)}`;
}

/** ", and asks first 30s after the start" */
function delayText({ now }: PodFacts, container: ContainerFacts, { initialDelaySeconds = 0 }: Probe): string {
  const startedAt = startedMs(container) ?? now;
  return now - startedAt < initialDelaySeconds * 1000
    ? `, and asks first ${formatAge(initialDelaySeconds * 1000)} after the start`
    : '';
}

/** "/health on port 8080 every 10s" */
export function askedText(container: ContainerFacts, probe: Probe): string {
  const { periodSeconds = 10 } = probe;
  const port = probePort(container, probe);
  const what =
    probe.exec === undefined
      ? `${probe.httpGet === undefined ? '' : `${quotable(probe.httpGet.path ?? '/')} on `}port ${port ?? '?'}`
      : `command ${quotable((probe.exec.command ?? []).join(' ').slice(0, 80))}`;
  return `${what} every ${formatAge(periodSeconds * 1000)}`;
}

function named({ kind, name }: ContainerFacts): string {
  return `${kind === 'init' ? 'init container' : kind} ${name}`;
}

export function startedMs({ status }: ContainerFacts): number | undefined {
  return parseTime(status?.state?.running?.startedAt ?? undefined);
}

function runTime({ now }: PodFacts, container: ContainerFacts): string {
  return formatAge(now - (startedMs(container) ?? now));
}
