/** Names the setting behind an error that speaks only of what it sets: a heap, a limit of files, a port that two settings have, a bucket. Pure. */
import type { RankedFinding } from '../../finding.ts';
import { askedUrl } from '../peers/asked-urls.ts';
import { mistakenCode } from './code-mistakes.ts';
import { commandLimit, phpMemory } from './command-limits.ts';
import { configTexts } from './config-texts.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { withFirstEnds, withFirstsOf } from '../pod/first-ends.ts';
import { decryptionKey } from '../variables/decryption-keys.ts';
import { signingKey } from '../variables/signing-keys.ts';
import { jvmOptions } from '../variables/jvm-options.ts';
import { likelyMount } from './likely-mounts.ts';
import { argumentsInOne, literalVariable } from '../variables/literal-variables.ts';
import { namedInPeer } from '../peers/named-in-peers.ts';
import { otherProtocol } from '../peers/other-protocols.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { fileReadByCode } from '../files/files-of-code.ts';
import { ownLimit } from '../servers/server-settings.ts';
import { commandText } from '../peers/spec-peers.ts';
import type { Setting } from './setting.ts';
import { serviceLink } from '../variables/service-links.ts';
import { clearedByFpm } from '../variables/not-handed-on.ts';
import { poolVariable, timeOutVariable } from '../variables/time-out-variables.ts';
import { undefinedPart } from './undefined-parts.ts';
import { clientWants } from '../variables/wanted-by-clients.ts';
import { sharedPort, tableWanted, withoutPort, withoutScheme, wordOfFile } from '../variables/words-of-names.ts';

/** The findings; the first of each container about its end names the setting behind it, where its sentence does not. */
export function withSettingBehind(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return withFirstsOf('ready', facts, withEnds(facts, found), (container, finding) => {
    const setting = bare(fpmSetting(facts, container, finding)) ?? commandLimit(facts, container, finding);
    return setting === undefined ? finding : joined(finding, setting);
  });
}

function withEnds(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return withFirstEnds(facts, found, (container, finding) => {
    const setting = settingBehind(facts, container, finding);
    return setting === undefined ? finding : joined(finding, setting);
  });
}

function joined(finding: RankedFinding, { says, quotes }: Setting): RankedFinding {
  return { ...finding, says: `${finding.says}; ${says}`, evidence: [...finding.evidence, ...quotes] };
}

/** The first that is found: those that an error can only mean come first, likenesses last. */
function settingBehind(facts: PodFacts, container: ContainerFacts, finding: RankedFinding): Setting | undefined {
  return (
    jvmOptions(container) ??
    serviceLink(facts, container) ??
    literalVariable(container, finding) ??
    argumentsInOne(container, finding) ??
    timeOutVariable(container, finding.says) ??
    poolVariable(container, finding.says) ??
    commandLimit(facts, container, finding) ??
    phpMemory(facts, container, finding) ??
    bare(settingReached(facts, container, finding)) ??
    bare(fpmSetting(facts, container, finding)) ??
    sharedPort(container, finding) ??
    namedInPeer(container, finding) ??
    wordOfFile(container, finding) ??
    otherProtocol(container, finding) ??
    withoutPort(container, finding) ??
    withoutScheme(container, finding) ??
    clientWants(facts, container, finding) ??
    decryptionKey(container, finding) ??
    signingKey(facts, container, finding) ??
    tableWanted(
      [commandText(container.spec), ...configTexts(facts, container).map(({ text }) => text)],
      container,
      finding,
    ) ??
    bare(fileReadByCode(facts, container, finding)) ??
    bare(undefinedPart(facts, container, finding.says)) ??
    bare(askedUrl(container, finding)) ??
    bare(mistakenCode(facts, container, finding.says)) ??
    (container.again === undefined ? bare(likelyMount(facts, container, finding)) : undefined)
  );
}

function fpmSetting(facts: PodFacts, container: ContainerFacts, { says }: RankedFinding): string | undefined {
  const { reading, failing } = container;
  return clearedByFpm(facts, container, [says, reading.decisive?.line, failing?.line].join(' '));
}

/** What a server says of a setting of its own. */
function settingReached(
  { pod, evidence }: PodFacts,
  container: ContainerFacts,
  finding: RankedFinding,
): string | undefined {
  const lines = [finding.says, container.reading.decisive?.line ?? '', container.again?.said.line ?? ''];
  const has = ownLimit(pod, container.spec, evidence.configs, lines);
  return has === undefined || finding.says.includes(has) ? undefined : `it ${has}`;
}

function bare(says: string | undefined): Setting | undefined {
  return says === undefined ? undefined : { says, quotes: [] };
}
