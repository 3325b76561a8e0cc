/** Finds the variables of a command that nothing sets, behind an error about a host or URL that is empty. Pure. */
import type { ConfigEvidence } from '../../evidence/pod-evidence.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

/** Signs that a host or a URL is empty: ":5432 - no response", "http://:8080/", "http:///v1", "connecting to None:6379", "ENOTFOUND undefined". */
const LACKS_HOST =
  /(?:^|[\s"'`(=@])(?:\w+:\/\/)?:\d{2,5}\b(?!:\d)|\w+:\/\/\/?(?=[\s"'`/:]|$)|no host(?:name)? (?:supplied|given|specified)|(?:missing|empty|invalid|illegal|undefined) (?:url|uri|host ?name|host|scheme)\b|bad\/illegal format or missing URL|(?:^|[\s"'`/@])(?:undefined|None|null|nil|NaN)(?::\d{2,5}|["'`/]|$)/i;

/** Variables that shells and images set. */
const OF_SHELL =
  /^(?:PATH|HOME|PWD|OLDPWD|HOSTNAME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|IFS|OPTARG|OPTIND|RANDOM|SECONDS|PPID|UID|EUID|TMPDIR|KUBERNETES_\w+|\w+_SERVICE_(?:HOST|PORT)\w*|\w+_PORT(?:_\d+_\w+)?)$/;

export function lacksHost(line: string): boolean {
  return LACKS_HOST.test(line);
}

/** The variables that its command uses without a default of its own, and that neither specification, ConfigMaps nor the command set. */
export function unsetVariables(facts: PodFacts, container: ContainerFacts): readonly string[] {
  const { spec, environment } = container;
  const set = namesSet(facts, container);
  if (set === undefined) return [];
  const text = commandText(spec, environment);
  const used = [...text.matchAll(/\$(?:\{([A-Z][A-Z0-9_]+)\}|([A-Z][A-Z0-9_]+))/g)].flatMap(([, a, b]) => a ?? b ?? []);
  const isAssigned = (name: string): boolean =>
    new RegExp(`\\b(?:${name}=|read (?:-\\w+ )*${name}\\b|for ${name} in\\b)`).test(text);
  return [...new Set(used)].filter((name) => !set.has(name) && !isOfShell(name) && !isAssigned(name));
}

/** The names that the specification and its ConfigMaps and Secrets set; undefined: not all of them are known. */
export function namesSet({ evidence }: PodFacts, { spec }: ContainerFacts): ReadonlySet<string> | undefined {
  const keys = sourcesOf(spec, evidence.configs);
  return keys === undefined ? undefined : new Set([...(spec.env ?? []).map(({ name }) => name), ...keys]);
}

/** Whether shells, images or Kubernetes set it. */
export function isOfShell(name: string): boolean {
  return OF_SHELL.test(name);
}

/** The names that its envFrom sets; undefined: not all of them are known. */
function sourcesOf(
  { envFrom = [] }: ContainerFacts['spec'],
  configs: readonly ConfigEvidence[],
): readonly string[] | undefined {
  const all = envFrom.map(({ prefix = '', configMapRef, secretRef }) => {
    const kind = configMapRef === undefined ? 'Secret' : 'ConfigMap';
    const name = (configMapRef ?? secretRef)?.name;
    const known = configs.find((config) => config.kind === kind && config.name === name && config.state === 'found');
    return known?.keys.map((key) => `${prefix}${key}`);
  });
  return all.every((each) => each !== undefined) ? all.flat() : undefined;
}
