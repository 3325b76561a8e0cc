/** Finds "$(NAME)" in what a probe or a hook runs or asks, where Kubernetes fills in nothing, and no shell does. Pure. */
import type { Container, Probe } from '../../evidence/kinds.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';

/** The part of a probe or a hook that says what is done. */
type Handler = Pick<Probe, 'exec' | 'httpGet'>;

export interface UnexpandedText {
  /** "$(PGPASSWORD)", as it stands there. */
  readonly reference: string;
  /** What becomes of it: it stays, or nothing is put in its place. */
  readonly becomes: 'as it stands' | 'replaced by nothing';
  /** "its command", "its path", "its header Authorization" */
  readonly where: string;
  /** What to do about it. */
  readonly hint: string;
}

const OF_KUBERNETES = /(?<!\$)\$\(([A-Za-z_]\w{0,200})\)/g;
const OF_SHELLS = /\$(?:\{([A-Za-z_]\w{0,200})\}|([A-Z_][A-Z0-9_]{1,200})\b)/g;
const SHELL = /(?:^|\/)(?:ba|da|a|z|k|c)?sh$/;

/** The first variable that is not filled in; undefined: there is none. */
export function unexpandedIn(
  facts: PodFacts,
  container: Container,
  kind: 'probe' | 'hook',
  { exec, httpGet }: Handler,
): UnexpandedText | undefined {
  const of = kind === 'probe' ? 'probes' : 'hooks';
  const isFilledIn = (name: string): boolean => kind === 'probe' && isPlain(container, name);
  const command = exec?.command ?? [];
  const reference = command.length === 0 ? undefined : inCommand(container, command, isFilledIn);
  if (reference !== undefined) {
    const name = reference.replace(/^\$[({]?|[)}]$/g, '');
    const isEmpty = kind === 'probe' && reference.startsWith('$(') && hasSource(container, name);
    const hint = isEmpty
      ? `commands of ${of} know no variables with valueFrom; use sh -c with \${${name}}`
      : isShell(command)
        ? `a shell runs a command ${name} for that; use \${${name}}`
        : `variables are not expanded in commands of ${of}; use sh -c with \${${name}}`;
    return { reference, becomes: isEmpty ? 'replaced by nothing' : 'as it stands', where: 'its command', hint };
  }
  const texts: readonly (readonly [string, string])[] = [
    ['its path', httpGet?.path ?? ''],
    ['its host', httpGet?.host ?? ''],
    ...(httpGet?.httpHeaders ?? []).map(({ name, value }) => [`its header ${name}`, value] as const),
  ];
  for (const [where, text] of texts) {
    const [found] = text.matchAll(OF_KUBERNETES);
    if (found !== undefined)
      return {
        reference: found[0],
        becomes: 'as it stands',
        where,
        hint: `variables are not expanded in what ${of} ask`,
      };
  }
  return undefined;
}

function inCommand(
  container: Container,
  command: readonly string[],
  isFilledIn: (name: string) => boolean,
): string | undefined {
  const isOfShell = isShell(command);
  for (const word of command) {
    for (const [reference, name = ''] of word.matchAll(OF_KUBERNETES)) {
      // A shell may well run a program of that name.
      if (!isFilledIn(name) && (!isOfShell || isDefined(container, name))) return reference;
    }
    if (isOfShell) continue;
    for (const [reference, braced, bare] of word.matchAll(OF_SHELLS)) {
      if (isDefined(container, braced ?? bare ?? '')) return reference;
    }
  }
  return undefined;
}

/** Whether a shell reads one of its words as a script. */
function isShell(command: readonly string[]): boolean {
  const at = command.findIndex((word) => SHELL.test(word));
  return at !== -1 && at < 4 && command.slice(at).some((word) => /^-\w*c$/.test(word));
}

function isDefined({ env = [], envFrom = [] }: Container, name: string): boolean {
  return env.some((each) => each.name === name) || (envFrom.length > 0 && /^[A-Z][A-Z0-9_]+$/.test(name));
}

/** Kubelets fill in plain values in commands of probes (upstream: ExpandContainerCommandOnlyStatic). */
function isPlain({ env = [] }: Container, name: string): boolean {
  return env.some((each) => each.name === name && each.valueFrom === undefined);
}

/** They put nothing in the place of the others. */
function hasSource({ env = [] }: Container, name: string): boolean {
  return env.some((each) => each.name === name && each.valueFrom !== undefined);
}
