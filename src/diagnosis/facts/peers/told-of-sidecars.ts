/** Tells with a peer at the pod's own address that does not answer what the container that should answer there suffers from. Pure. */
import { lastFailure, peerIn } from '../../../log-analysis/index.ts';
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { isItself } from './dependencies.ts';
import { withFirstsOf } from '../pod/first-ends.ts';
import { type OwnPeer, ownPeer } from './own-pod-peers.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { wordsOfPeer } from '../servers/server-peers.ts';

/** Findings about a peer that takes connections, and gives nothing on. */
const UNANSWERED =
  /^(?:dependency-(?:closes|fails|times-out)|exit-code|fails-again|(?:readiness|liveness|startup)-failing|probe-timeout)$/;
const MAX_SAYS = 260;

/** The findings; the first of each container about its end, or about why it is not ready, tells it. */
export function withSidecars(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const tell = (container: ContainerFacts, finding: RankedFinding): RankedFinding => {
    if (!UNANSWERED.test(finding.id)) return finding;
    const other = answererBeside(facts, container);
    // One that ends is told of with a refusal.
    const own = other?.isSure === true ? found.find((each) => each.container === other.container.name) : undefined;
    if (other?.isSure !== true || own === finding) return finding;
    if (own === undefined) return withWords(finding, other.container);
    const said = runningWords(other.container, own.says);
    const says = said.length <= MAX_SAYS ? said : `${said.slice(0, MAX_SAYS - 1)}…`;
    return {
      ...finding,
      says: `${finding.says}; in its pod, ${says}`,
      evidence: [...finding.evidence, ...own.evidence.slice(0, 1)],
    };
  };
  return withFirstsOf('ready', facts, withFirstsOf('end', facts, found, tell), tell);
}

/** One that runs on is told of here as if it had ended. */
function runningWords({ again, status }: ContainerFacts, says: string): string {
  return again === undefined || status?.state?.running === undefined
    ? says
    : says.replace(/^(container \S{1,100}) ends: (.*) \(exit code 1\)/s, '$1 runs, and says again and again: $2');
}

/** The container of its pod that should answer at the own address that its words name. */
function answererBeside(facts: PodFacts, container: ContainerFacts): OwnPeer | undefined {
  const port = ownPortAsked(container);
  return port === undefined ? undefined : ownPeer(facts, container, port);
}

/** Whether its words are about a peer at an address of its own pod. */
export function asksItsPod(container: ContainerFacts): boolean {
  return ownPortAsked(container) !== undefined;
}

function ownPortAsked(container: ContainerFacts): number | undefined {
  const peers = wordsOfPeer(container).map((line) => peerIn(line));
  return peers.find(({ host, port }) => host !== undefined && port !== undefined && isItself({ host }))?.port;
}

/** What a container that runs and looks well said last of a failure, between its work for others. */
function withWords(finding: RankedFinding, { name, lines }: ContainerFacts): RankedFinding {
  const said = lastFailure(lines);
  if (said === undefined || finding.says.includes(said.line)) return finding;
  return {
    ...finding,
    says: `${finding.says}; container ${name} of its pod, which should answer there, says: ${said.line.replace(/\.+$/, '')}`,
    evidence: [...finding.evidence, { source: 'log', container: name, line: said.line }],
  };
}
