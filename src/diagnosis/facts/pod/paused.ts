/** Says how a container's processes are held from running, and finds the ready pod of a service that is held. Pure. */
import type { Hold, StoppedProcess } from '../../evidence/kinds.ts';
import type { PausedContainer, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { ContainerFacts } from './container-facts.ts';
import { probeFailures } from '../probes/probe-failures.ts';
import { wordsOfPeer } from '../servers/server-peers.ts';
import { quotable } from '../words/text.ts';

const MEANINGS: Readonly<Record<Hold, string>> = {
  frozen: 'its cgroup is frozen, so none of its processes runs',
  stopped: 'its main process is stopped (SIGSTOP) and waits for SIGCONT',
  traced: 'a debugger or tracer holds its main process',
};

/** "its process memcached (pid 7) is stopped (SIGSTOP) and waits for SIGCONT"; undefined: nothing holds it. */
export function pausedText(hold: Hold | undefined, stopped: StoppedProcess | undefined): string | undefined {
  if (hold !== undefined) return MEANINGS[hold];
  return stopped && `its ${processText(stopped)} is stopped (SIGSTOP) and waits for SIGCONT`;
}

/** "process memcached (pid 7)" */
export function processText({ process, pid }: StoppedProcess): string {
  return `process ${quotable(process)} (pid ${pid})`;
}

/** Words about a peer that does not answer, although it may be there. */
const UNANSWERED =
  /\btim(?:ed?|ing)[ -]?outs?\b|timeout|deadline exceeded|\bETIMEDOUT\b|\bno (?:answer|response|reply)\b|not respon(?:d|se)|too long|\bhangs?\b|\b504\b/i;

/** Whether a container waits in vain for an answer, by its words or by its own silence at a probe. */
export function waitsForAnswer(container: ContainerFacts): boolean {
  if (wordsOfPeer(container).some((line) => UNANSWERED.test(line))) return true;
  return (['readiness', 'startup', 'liveness'] as const).some(
    (type) => probeFailures(container, type)[0]?.kind === 'timeout',
  );
}

/** "pod cache-1 behind service cache is paused: container cache: its process …" */
export function pausedBehind({
  name,
  server,
}: ServiceEvidence): (PausedContainer & { readonly says: string }) | undefined {
  const { paused } = server ?? {};
  const text = pausedText(paused?.hold, paused?.stopped);
  if (server === undefined || paused === undefined || text === undefined) return undefined;
  const pod = server.pod.metadata?.name ?? '';
  return { ...paused, says: `container ${paused.container} of pod ${pod} behind service ${name} is paused: ${text}` };
}
