/**
 * Finds the setting of another workload behind an error that names no server of its own: a pooler that stands between a program and its
 * database is named by neither. Pure.
 */
import type { Pod } from '../evidence/kinds.ts';
import type { ConfigEvidence } from '../evidence/pod-evidence.ts';
import { complaintsIn, settingOf } from '../facts/servers/server-settings.ts';
import type { Diagnosis } from '../finding.ts';
import { ownerOf, workloadUid } from '../facts/pod/owner-of.ts';

/** Pods of which the settings are read. */
const MAX_PODS = 50;

/** Whether its first finding quotes a complaint about a setting, and nothing says yet whose that is. */
export function settingsBesideWanted({ findings: [first] }: Pick<Diagnosis, 'findings'>): boolean {
  return first !== undefined && OF_WORK.test(first.id) && wantedOf(first.says).length > 0;
}

/** Findings that tell what others answer: of what its own system refuses no server is the reason. */
const OF_WORK = /^(?:fails-again|exit-code|missing-data|connections-exhausted|dependency-\w[\w-]*)$/;

/** The settings that the words may mean; none: the words name one already. */
function wantedOf(says: string): readonly string[] {
  const names = complaintsIn([says])
    .flatMap(({ settings }) => settings)
    .filter((name) => IS_COMPOUND.test(name));
  return names.some((name) => says.includes(name)) ? [] : names;
}

/** A name of one word, such as "allow", stands in many files for other things. */
const IS_COMPOUND = /[a-z][-_.][a-z]|[a-z][A-Z]/;

/**
 * The diagnosis, whose first finding tells of the setting where only one other workload has it.
 *
 * @param own the pod that the finding is about
 * @param configs the ConfigMaps of the pods, as far as they were read
 */
export function withSettingBeside(
  diagnosis: Diagnosis,
  own: Pod,
  pods: readonly Pod[],
  configs: readonly ConfigEvidence[],
): Diagnosis {
  const [first, ...more] = diagnosis.findings;
  const names = first === undefined || !settingsBesideWanted(diagnosis) ? [] : wantedOf(first.says);
  if (first === undefined || names.length === 0) return diagnosis;
  const others = new Map(
    pods
      .filter((pod) => pod.metadata?.uid !== own.metadata?.uid && workloadUid(pod) !== workloadUid(own))
      .slice(0, MAX_PODS)
      .map((pod) => [workloadUid(pod), pod] as const),
  );
  const found = [...others.values()].flatMap((pod) => {
    const has = settingOf({ pod, configs }, [first.says], names);
    return has === undefined ? [] : [{ object: ownerOf(pod) ?? `pod/${pod.metadata?.name ?? ''}`, has }];
  });
  const [only, ...rest] = found;
  if (only === undefined || rest.length > 0) return diagnosis;
  return { ...diagnosis, findings: [{ ...first, says: `${first.says}; ${only.object} ${only.has}` }, ...more] };
}
