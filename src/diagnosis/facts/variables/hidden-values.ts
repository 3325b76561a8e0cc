/** Tells that a variable that a sentence names hides another value, which a whole ConfigMap or Secret has for it. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { withFirstsOf } from '../pod/first-ends.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { hasWord, quotable } from '../words/text.ts';

const MAY_BE_SECRET = /pass|pwd|secret|token|key|cred|auth|private|@/i;
const MAX_VALUE = 80;

/** The findings; the first of each container about its end, or about why it is not ready, tells it: "; DB_HOST of ConfigMap app-env (pg-new) is hidden by that". */
export function withHiddenValues(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const tell = (container: ContainerFacts, finding: RankedFinding): RankedFinding => {
    const hidden = hiddenValue(facts, container, finding.says);
    if (hidden === undefined) return finding;
    const { name, of, value, at } = hidden;
    const shown = value === undefined ? '' : ` (${value})`;
    return {
      ...finding,
      says: `${finding.says}; its own ${name} hides that of ${of}${shown}`,
      evidence: [...finding.evidence, { source: 'field', path: `${container.path}.${at}`, value: of }],
    };
  };
  return withFirstsOf('ready', facts, withFirstsOf('end', facts, found, tell), tell);
}

interface Hidden {
  readonly name: string;
  readonly of: string;
  readonly value?: string;
  readonly at: string;
}

function hiddenValue({ evidence }: PodFacts, { spec }: ContainerFacts, says: string): Hidden | undefined {
  for (const { name, value } of spec.env ?? []) {
    const isMeant = value !== undefined && (hasWord(says, name) || (value.length > 3 && hasWord(says, value)));
    if (value === undefined || !isMeant) continue;
    for (const [index, { configMapRef, secretRef, prefix = '' }] of (spec.envFrom ?? []).entries()) {
      if (!name.startsWith(prefix)) continue;
      const kind = secretRef === undefined ? 'ConfigMap' : 'Secret';
      const source = (secretRef ?? configMapRef)?.name ?? '';
      const known = evidence.configs.find((config) => config.kind === kind && config.name === source);
      const key = name.slice(prefix.length);
      if (known?.keys.includes(key) !== true) continue;
      const other = known.texts?.[key];
      if (other?.trim() === value.trim()) continue;
      const isPlain = other !== undefined && other.length <= MAX_VALUE && !MAY_BE_SECRET.test(`${name} ${other}`);
      return { name, of: `${kind} ${source}`, at: `envFrom[${index}]`, ...(isPlain && { value: quotable(other) }) };
    }
  }
  return undefined;
}
