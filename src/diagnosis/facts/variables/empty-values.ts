/** Finds the variables of a container that are set and empty, or "localhost". Values of Secrets and ConfigMaps are known only as far as they were read. Pure. */
import type { ConfigEvidence } from '../../evidence/pod-evidence.ts';
import type { Quote } from '../../finding.ts';
import type { ConfigReference } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

/** What is known of a value. */
export type PlainValue = 'empty' | 'localhost';

export interface PlainVariable {
  readonly name: string;
  /** " (ConfigMap app, key db.host)"; empty for one of the specification itself. */
  readonly of: string;
  readonly quote: Quote;
}

/** The variables that have this value, by the specification and by what was read of ConfigMaps and Secrets. */
export function variablesThatAre(
  wanted: PlainValue,
  { evidence }: PodFacts,
  { spec, path }: ContainerFacts,
): readonly PlainVariable[] {
  const field = wanted === 'empty' ? 'emptyKeys' : 'localhostKeys';
  const text = wanted === 'empty' ? '' : wanted;
  const keysOf = ({ kind, name }: ConfigReference): readonly string[] =>
    evidence.configs.find((config): config is ConfigEvidence => config.kind === kind && config.name === name)?.[
      field
    ] ?? [];
  const own = (spec.env ?? []).flatMap(({ name, value = '', valueFrom }, index): readonly PlainVariable[] => {
    const at = `${path}.env[${index}] (${name})`;
    if (valueFrom === undefined)
      return value === text ? [{ name, of: '', quote: { source: 'field', path: at, value: wanted } }] : [];
    const { configMapKeyRef: map, secretKeyRef: secret } = valueFrom;
    const kind = map === undefined ? 'Secret' : 'ConfigMap';
    const ref = map ?? secret;
    if (ref?.name === undefined || !keysOf({ kind, name: ref.name }).includes(ref.key)) return [];
    const of = `${kind} ${ref.name}, key ${ref.key}`;
    return [{ name, of: ` (${of})`, quote: { source: 'field', path: at, value: `${of} (${wanted})` } }];
  });
  const set = new Set((spec.env ?? []).map(({ name }) => name));
  const whole = (spec.envFrom ?? []).flatMap(({ configMapRef, secretRef, prefix = '' }, index) => {
    const kind: ConfigReference['kind'] = configMapRef === undefined ? 'Secret' : 'ConfigMap';
    const name = (configMapRef ?? secretRef)?.name ?? '';
    return keysOf({ kind, name }).flatMap((key): readonly PlainVariable[] => {
      const of = `${kind} ${name}`;
      const quote: Quote = {
        source: 'field',
        path: `${path}.envFrom[${index}]`,
        value: `${of}, key ${key} (${wanted})`,
      };
      return set.has(`${prefix}${key}`) ? [] : [{ name: `${prefix}${key}`, of: ` (${of})`, quote }];
    });
  });
  return [...own, ...whole];
}
