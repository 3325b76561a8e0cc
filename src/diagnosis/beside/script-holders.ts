/** Tells who runs the script for which Redis lets everybody else wait: its log names the script by the SHA-1 of its text. Pure. */
import { sha1 } from '../../lib/index.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { ConfigEvidence, PodEvidence } from '../evidence/pod-evidence.ts';
import { type ConfigText, textsOfMaps } from '../facts/configs/config-texts.ts';
import { configMapsOf } from '../facts/configs/config-references.ts';
import { ownerOf, workloadUid } from '../facts/pod/owner-of.ts';
import { commandText } from '../facts/peers/spec-peers.ts';
import { isQuoted } from '../follow/quiet-peers.ts';
import type { Diagnosis } from '../finding.ts';

const BUSY = /\bBUSY (?:Redis|Valkey) is busy running a script\b/i;
const NAMED = /\bSlow script detected\b.{0,200}\bScript name is: ([0-9a-f]{40})\b/i;
/** Words of programs that have scripts run. */
const RUNS_SCRIPTS =
  /\bEVAL(?:SHA)?\b|\.eval(?:sha|Sha|_ro)?\(|\bredis-cli\b.{0,200}--eval\b|\bregister_script\(|\bdefineCommand\(|\bFCALL\b|\bfcall\(/;
const MAX_PODS = 50;

/** Whether its first finding says that a script keeps a server busy. */
export function isOfBusyScript({ findings: [first] }: Pick<Diagnosis, 'findings'>): boolean {
  return first !== undefined && BUSY.test(first.says);
}

/**
 * The diagnosis; the first finding names who has the script, or else the only one that has scripts run there.
 *
 * @param configs the ConfigMaps of the pods, as far as they were read
 */
export function withScriptHolder(
  diagnosis: Diagnosis,
  evidence: PodEvidence,
  pods: readonly Pod[],
  configs: readonly ConfigEvidence[],
): Diagnosis {
  const [first, ...more] = diagnosis.findings;
  if (first === undefined || !isOfBusyScript(diagnosis)) return diagnosis;
  const others = [
    ...new Map(
      pods
        .filter(({ metadata }) => metadata?.uid !== evidence.pod.metadata?.uid)
        .slice(0, MAX_PODS)
        .map((pod) => [workloadUid(pod), pod] as const),
    ).values(),
  ];
  const names = evidence.services.flatMap(({ server }) =>
    (server?.lines ?? []).flatMap((line) => NAMED.exec(line)?.[1]?.toLowerCase() ?? []),
  );
  const text = ownerOfScript(names.at(-1), others, configs) ?? onlyRunner(evidence, others, configs);
  return text === undefined
    ? diagnosis
    : { ...diagnosis, findings: [{ ...first, says: `${first.says}; ${text}` }, ...more] };
}

function filesOf(pod: Pod, configs: readonly ConfigEvidence[]): readonly ConfigText[] {
  return textsOfMaps(configs, new Set(configMapsOf(pod).map(({ name }) => name)));
}

function objectOf(pod: Pod): string {
  return ownerOf(pod) ?? `pod/${pod.metadata?.name ?? ''}`;
}

/** "deployment/janitor has that script (ConfigMap scripts, key sweep.lua)" */
function ownerOfScript(
  sha: string | undefined,
  pods: readonly Pod[],
  configs: readonly ConfigEvidence[],
): string | undefined {
  if (sha === undefined) return undefined;
  for (const pod of pods) {
    const file = filesOf(pod, configs).find(({ text }) => hasScript(text, sha));
    if (file !== undefined) return `${objectOf(pod)} has that script (${file.at})`;
  }
  return undefined;
}

/** Whether a file is the script; what reads it may take off the blanks around it. */
function hasScript(text: string, sha: string): boolean {
  return [text, text.trim(), text.trimEnd()].some(
    (each) => Buffer.from(sha1(Buffer.from(each))).toString('hex') === sha,
  );
}

/** "deployment/janitor has scripts run there (ConfigMap code, key janitor.py)" */
function onlyRunner(
  { services }: PodEvidence,
  pods: readonly Pod[],
  configs: readonly ConfigEvidence[],
): string | undefined {
  const found = pods.flatMap((pod) => {
    const texts: readonly ConfigText[] = [
      ...(pod.spec?.containers ?? []).map((spec) => ({ at: 'its command', text: commandText(spec) })),
      ...filesOf(pod, configs),
    ];
    const runs = texts.find(({ text }) => RUNS_SCRIPTS.test(text));
    const isClient = services.some(({ name }) => texts.some(({ text }) => isQuoted(text, name)));
    return runs === undefined || !isClient ? [] : [`${objectOf(pod)} has scripts run there (${runs.at})`];
  });
  const [only, ...more] = found;
  return more.length > 0 ? undefined : only;
}
