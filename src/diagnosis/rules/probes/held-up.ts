/** What keeps a program from answering its probe, as far as its log says: an error that it has not overcome. Not a rule by itself. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { unresolvedTrouble, withUnresolved } from '../../facts/words/unresolved.ts';
import type { RankedFinding } from '../../finding.ts';
import type { PodRule } from '../../rule.ts';
import { authentication, refusedCredentials } from '../peers/authentication.ts';
import { cLibraries } from '../ends/c-libraries.ts';
import { certificates } from '../peers/certificates.ts';
import { encoding } from '../ends/encoding.ts';
import { exhausted } from '../ends/exhausted.ts';
import { keyPasswords } from '../ends/key-passwords.ts';
import { malformedConfig } from '../ends/malformed-config.ts';
import { missingSetting } from '../ends/missing-setting.ts';
import { permissions } from '../ends/permissions.ts';
import { portInUse } from '../ends/port-in-use.ts';
import { saidCauses } from '../ends/said-causes.ts';

/** The rules about ends that read logs: what they know of an error does not depend on whether it ended the program. */
const RULES: readonly PodRule[] = [
  authentication,
  cLibraries,
  certificates,
  encoding,
  exhausted,
  keyPasswords,
  malformedConfig,
  missingSetting,
  permissions,
  portInUse,
  saidCauses,
];

/** Whether another rule tells of a peer that the container waits for. */
export function waitsForPeer(facts: PodFacts, container: ContainerFacts): boolean {
  if (unresolvedTrouble(container) !== undefined) return true;
  return container.death === undefined && refusedCredentials(facts, container) !== undefined;
}

/** What an unresolved error says of a known kind of cause; undefined: there is none, or its kind is not known. */
export function heldUpBy(facts: PodFacts, container: ContainerFacts): RankedFinding | undefined {
  const own = withUnresolved(container);
  if (own.reading.decisive === undefined) return undefined;
  const ended: ContainerFacts = {
    ...own,
    killed: undefined,
    death: { reason: 'Error', finishedMs: facts.now, ...container.death, exitCode: 1 },
  };
  const [first] = RULES.flatMap((rule) => rule({ ...facts, containers: [ended] })).toSorted((a, b) => b.rank - a.rank);
  if (first === undefined) return undefined;
  const isRunning = container.death === undefined;
  const log = facts.commands.kubectl('logs', facts.name, '-c', container.name);
  return {
    ...first,
    evidence: first.evidence.filter(({ source }) => source !== 'death'),
    try: isRunning
      ? [log, ...first.try.filter((line) => line !== facts.commands.previousLog(container.name))]
      : first.try,
  };
}
