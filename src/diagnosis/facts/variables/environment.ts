/** Lists the variables of a container whose values are known: those of its specification, and those of ConfigMaps that were read. Pure. */
import type { Container } from '../../evidence/kinds.ts';
import type { ConfigEvidence } from '../../evidence/pod-evidence.ts';

export interface Variable {
  readonly name: string;
  readonly value: string;
  /** Where it stands in the container's specification: "env[0] (DATABASE_URL)", "envFrom[1] (DATABASE_URL)". */
  readonly at: string;
  /** "ConfigMap app, key db.url"; absent: the value stands in the specification itself. */
  readonly of?: string;
}

/** Values of Secrets are never among them. A variable of `env` hides one of the same name of `envFrom`. */
export function environmentOf(spec: Container, configs: readonly ConfigEvidence[] = []): readonly Variable[] {
  return variablesOf(spec, 'ConfigMap', (name) => configNamed(configs, 'ConfigMap', name)?.texts ?? {});
}

/** The variables that a container has of Secrets and that lead somewhere; as values they have hosts and ports alone. */
export function secretVariablesOf(spec: Container, configs: readonly ConfigEvidence[]): readonly Variable[] {
  const all = variablesOf(spec, 'Secret', (name) => configNamed(configs, 'Secret', name)?.addresses ?? {});
  return all.filter(({ of }) => of !== undefined);
}

function configNamed(
  configs: readonly ConfigEvidence[],
  kind: ConfigEvidence['kind'],
  name: string,
): ConfigEvidence | undefined {
  return configs.find((config) => config.kind === kind && config.name === name);
}

function variablesOf(
  spec: Container,
  kind: ConfigEvidence['kind'],
  textsOf: (name: string) => Readonly<Record<string, string>>,
): readonly Variable[] {
  const own = (spec.env ?? []).flatMap(({ name, value, valueFrom }, index): readonly Variable[] => {
    const at = `env[${index}] (${name})`;
    if (value !== undefined) return [{ name, value, at }];
    const ref = kind === 'Secret' ? valueFrom?.secretKeyRef : valueFrom?.configMapKeyRef;
    const text = ref === undefined ? undefined : textsOf(ref.name ?? '')[ref.key];
    return ref === undefined || text === undefined
      ? []
      : [{ name, value: text, at, of: `${kind} ${ref.name ?? ''}, key ${ref.key}` }];
  });
  const set = new Set((spec.env ?? []).map(({ name }) => name));
  const whole = (spec.envFrom ?? []).flatMap(({ configMapRef, secretRef, prefix = '' }, index) => {
    const name = (kind === 'Secret' ? secretRef : configMapRef)?.name ?? '';
    return Object.entries(textsOf(name)).map(
      ([key, value]): Variable => ({
        name: `${prefix}${key}`,
        value,
        at: `envFrom[${index}] (${prefix}${key})`,
        of: `${kind} ${name}, key ${key}`,
      }),
    );
  });
  // Of two sources with one name the later one counts.
  const last = new Map(whole.filter(({ name }) => !set.has(name)).map((each) => [each.name, each]));
  return [...own, ...last.values()];
}

/** ", of ConfigMap app (key db.url)"; empty for one of the specification itself. */
export function ofText({ of }: Variable): string {
  return of === undefined ? '' : ` of ${of}`;
}
