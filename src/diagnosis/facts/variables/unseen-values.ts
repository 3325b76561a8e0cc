/** Finds variables whose values have what nobody sees: a line end, a space or quotation marks that became part of them. Pure. */
import type { Quote, RankedFinding } from '../../finding.ts';
import { keyVariables } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { Variable } from './environment.ts';
import { LINE_END } from '../configs/odd-content.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

export interface OddVariable {
  readonly name: string;
  /** "the value of its variable DB_HOST, of ConfigMap app, ends with a line end" */
  readonly says: string;
  readonly quote: Quote;
}

/** A shorter value stands in many lines. */
const MIN_LENGTH = 2;

/** What is wrong with the edges of a value, as the rest of a sentence; undefined: nothing is. */
export function unseenIn(value: string): string | undefined {
  if (value.trim().length < MIN_LENGTH) return undefined;
  if (/[\r\n]$/.test(value)) return /[\r\n]/.test(value.trim()) ? undefined : LINE_END;
  if (/[ \t]$/.test(value)) return 'ends with a space';
  if (/^[ \t]/.test(value)) return 'begins with a space';
  return /^"[^"\n]{2,}"$|^'[^'\n]{2,}'$/.test(value) ? 'has quotation marks as a part of it' : undefined;
}

/** The variable with such a value that the lines speak of. */
export function unseenVariable(
  { path, environment }: ContainerFacts,
  lines: readonly string[],
): OddVariable | undefined {
  for (const variable of environment) {
    const odd = unseenIn(variable.value);
    const bare = variable.value.trim().replace(/^(["'])(.*)\1$/s, '$2');
    if (odd !== undefined && lines.some((line) => hasWhole(line, bare))) return told(path, variable, odd);
  }
  return undefined;
}

/** The findings; one about a peer of a container that runs and tries again tells the variable that names it so. */
export function withUnseenValues({ containers }: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.map((finding) => {
    const container = containers.find(({ name }) => name === finding.container);
    if (container === undefined || !finding.id.startsWith('dependency-') || finding.topic.startsWith('end/'))
      return finding;
    const { reading, failing, again } = container;
    const lines = [reading.decisive, failing, again?.said].flatMap((one) => one?.line ?? []);
    const odd = unseenVariable(container, lines);
    return odd === undefined || finding.says.includes(odd.says)
      ? finding
      : {
          ...finding,
          says: `${finding.says}; ${odd.says}`,
          evidence: [...finding.evidence, odd.quote],
          blames: undefined,
        };
  });
}

/** The first variable whose source is known to be odd, whatever its value is. */
export function oddOfSources({ evidence }: PodFacts, { path, spec }: ContainerFacts): OddVariable | undefined {
  const keys = keyVariables(spec).map(({ kind, name, key, variable, index }) => ({
    kind,
    of: name,
    key,
    variable,
    at: `env[${index}]`,
  }));
  const wholes = (spec.envFrom ?? []).flatMap(({ prefix = '', configMapRef, secretRef }, index) => {
    const [kind, of] = secretRef === undefined ? ['ConfigMap', configMapRef?.name] : ['Secret', secretRef.name];
    const known = evidence.configs.find((each) => each.kind === kind && each.name === of);
    return (known?.keys ?? []).map((key) => ({
      kind,
      of,
      key,
      variable: `${prefix}${key}`,
      at: `envFrom[${index}]`,
    }));
  });
  for (const { kind, of, key, variable, at } of [...keys, ...wholes]) {
    const odd = evidence.configs.find((each) => each.kind === kind && each.name === of)?.odd?.[key];
    if (odd === undefined) continue;
    return {
      name: variable,
      says: `the value of its variable ${variable}, of ${kind} ${of ?? ''}, ${odd}`,
      quote: { source: 'field', path: `${path}.${at} (${variable})`, value: `${kind} ${of ?? ''}, key ${key}` },
    };
  }
  return undefined;
}

function told(path: string, { name, at, of, value }: Variable, odd: string): OddVariable {
  const source = of === undefined ? '' : `, of ${of.replace(/, key .*$/s, '')},`;
  return {
    name,
    says: `the value of its variable ${name}${source} ${odd}`,
    quote: {
      source: 'field',
      path: `${path}.${at}`,
      value: of ?? `${value.length} characters, with those at its edges`,
    },
  };
}

/** "pg" is none of "pg-main". */
function hasWhole(line: string, word: string): boolean {
  for (let at = line.indexOf(word); at !== -1; at = line.indexOf(word, at + 1)) {
    if (!/[\w-]/.test(line[at - 1] ?? ' ') && !/[\w-]/.test(line[at + word.length] ?? ' ')) return true;
  }
  return false;
}
