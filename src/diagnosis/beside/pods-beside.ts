/** What the specifications of the other pods of a namespace may tell of a finding. Pure. */
import { nearlyAgreed, tellsNoCause, withNearlyAgreed } from './agreed-names.ts';
import { isOfFuture, withClock } from './clocks.ts';
import { exhaustedService, withHolders } from './connection-holders.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { ConfigEvidence, PodEvidence } from '../evidence/pod-evidence.ts';
import { type ConfigReference, usedBy } from '../facts/configs/config-references.ts';
import type { Diagnosis } from '../finding.ts';
import { isOfBusyScript, withScriptHolder } from './script-holders.ts';
import { settingsBesideWanted, withSettingBeside } from './settings-beside.ts';
import { unmetName } from './unmet-names.ts';

/** Whether they are worth reading: nothing is wrong, or the first finding asks for them. @param evidence the pod that it is about */
export function podsBesideWanted(diagnosis: Diagnosis, evidence: PodEvidence): boolean {
  return (
    diagnosis.findings.length === 0 ||
    tellsNoCause(diagnosis) ||
    isOfFuture(diagnosis) ||
    exhaustedService(evidence) !== undefined ||
    settingsBesideWanted(diagnosis) ||
    isOfBusyScript(diagnosis)
  );
}

/** The ConfigMaps of which the pods have variables, and where a setting or a script is looked for those with their files. */
export function configsBesideWanted(diagnosis: Diagnosis, pods: readonly Pod[]): readonly ConfigReference[] {
  const withFiles = settingsBesideWanted(diagnosis) || isOfBusyScript(diagnosis);
  const all = pods
    .flatMap((pod) => (pod.spec?.containers ?? []).flatMap((container) => usedBy(pod, container)))
    .filter(({ kind, asVariable }) => kind === 'ConfigMap' && (asVariable || withFiles))
    .map(({ kind, name }): ConfigReference => ({ kind, name }));
  return [...new Map(all.map((each) => [each.name, each])).values()];
}

/** @param evidence the pod that the first finding is about @param configs the ConfigMaps that were wanted of the pods */
export function withPodsBeside(
  diagnosis: Diagnosis,
  evidence: PodEvidence,
  pods: readonly Pod[],
  configs: readonly ConfigEvidence[] = [],
): Diagnosis {
  const all = [...evidence.configs, ...configs];
  const names = nearlyAgreed(evidence.pod, pods, all) ?? unmetName(evidence, pods, all);
  const held = withClock(withHolders(diagnosis, evidence, pods), pods);
  const set = withSettingBeside(withNearlyAgreed(held, names), evidence.pod, pods, all);
  return withScriptHolder(set, evidence, pods, all);
}
