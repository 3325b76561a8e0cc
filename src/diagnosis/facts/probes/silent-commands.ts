/** Knows what keeps the words of a probe's command from whoever asks, and servers whose password such a command may lack. Pure. */
import type { Probe } from '../../evidence/kinds.ts';
import { usedBy } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

export interface Swallowed {
  /** "grep -q", ">/dev/null" */
  readonly by: string;
  /** "redis-cli" */
  readonly program: string;
  /** The command without what swallows its words: "redis-cli ping". */
  readonly bare: string;
}

const SHELL = /(?:^|\/)(?:ba|da|a|z|k|c)?sh$/;
/** Of each the first group is the command whose words are kept. */
const SWALLOWS: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/^([^|;&]{2,400}?)\s*\|\s*(?:e|f)?grep\s+(?:-{1,2}\w{0,12}\s+)*(?:-\w*q\w*|--quiet|--silent)\b/, 'grep -q'],
  [/^([^|;&]{2,400}?)\s*\|\s*(?:e|f)?grep\b[^|;&]{1,200}>\s*\/dev\/null/, 'grep'],
  [/(?:\btest|\[{1,2})\s+["']?\$\(([^()]{2,400})\)/, 'test'],
  [/(?:\btest|\[{1,2})\s+["']?`([^`]{2,400})`/, 'test'],
  [/^([^|;&>]{2,400}?)\s*(?:1?>\s*\/dev\/null\s+2>&1|&>\s*\/dev\/null|>&\s*\/dev\/null)/, '>/dev/null 2>&1'],
];

/** The text of its command, that of the script where a shell runs one. */
export function scriptOf({ exec }: Pick<Probe, 'exec'>): string {
  const [program = '', ...rest] = exec?.command ?? [];
  const script = SHELL.test(program) && /^-\w*c$/.test(rest[0] ?? '') ? rest[1] : undefined;
  return (script ?? [program, ...rest].join(' ')).slice(0, 2000).trim();
}

/** What keeps the answer of its command to itself; undefined: nothing is known to do so. */
export function swallowedIn(probe: Pick<Probe, 'exec'>): Swallowed | undefined {
  const script = scriptOf(probe).replace(/^(?:exec|set -\w+;)\s+/, '');
  for (const [pattern, by] of SWALLOWS) {
    const bare = pattern.exec(script)?.[1]?.trim();
    const program = bare?.split(/\s+/).find((word) => !/^\w+=/.test(word));
    if (bare !== undefined && program !== undefined) return { by, program: program.split('/').at(-1) ?? program, bare };
  }
  return undefined;
}

interface Client {
  readonly name: RegExp;
  /** What in its command is, or has, a password. */
  readonly gives: RegExp;
  /** Variables of which it takes one by itself. */
  readonly takes: RegExp;
  /** What in a command or a file sets one for its server. */
  readonly setting?: RegExp;
  /** Variables of images that set one. */
  readonly variables: RegExp;
  /** What is answered without one. */
  readonly free?: RegExp;
}

const CLIENTS: readonly Client[] = [
  {
    name: /\b(?:redis|valkey|keydb)-cli\b/,
    gives: /\s(?:-a|--pass|--askpass|-u|--user)\b|\bREDISCLI_AUTH=|\bAUTH\b/,
    takes: /^REDISCLI_AUTH$/,
    setting: /(?:^|\s)(?:--)?requirepass\s+["']?[^\s"']/m,
    variables: /^(?:REDIS|VALKEY|KEYDB)_PASSWORD(?:_FILE)?$/,
  },
  {
    name: /\b(?:mysql|mariadb|mysqlshow)\b(?!d|-)/,
    gives: /\s(?:-p|--password|--defaults-|--login-path)|\bMYSQL_PWD=/,
    takes: /^MYSQL_PWD$/,
    variables: /^(?:MYSQL|MARIADB)_(?:ROOT_)?PASSWORD(?:_FILE)?$/,
  },
  {
    name: /\b(?:curl|wget)\b/,
    gives: /\s(?:-u|--user|-H|--header|--http-user|-n|--netrc)\b|:\/\/[^\s/@]{1,200}@|api_key=/,
    takes: /^$/,
    variables: /^(?:ELASTIC_PASSWORD|OPENSEARCH_INITIAL_ADMIN_PASSWORD)(?:_FILE)?$/,
  },
  {
    name: /\bmongo(?:sh)?\b/,
    gives: /\s(?:-p|--password)\b|:\/\/[^\s/@]{1,200}@|\.auth\(/,
    takes: /^$/,
    variables: /^MONGO(?:_INITDB|DB)_ROOT_PASSWORD(?:_FILE)?$/,
    free: /\bping\b|\bhello\b|isMaster/,
  },
  {
    name: /\bclickhouse-client\b/,
    gives: /\s--password\b/,
    takes: /^$/,
    variables: /^CLICKHOUSE_PASSWORD(?:_FILE)?$/,
  },
];

/** Where its server has a password that the probe's command does not give: "its command has --requirepass"; undefined: nowhere, or it gives one. */
export function passwordLacked(facts: PodFacts, container: ContainerFacts, probe: Probe): string | undefined {
  const script = scriptOf(probe);
  const client = CLIENTS.find(({ name }) => name.test(script));
  if (client === undefined || client.gives.test(script) || client.free?.test(script) === true) return undefined;
  const { spec } = container;
  const variables = (spec.env ?? []).map(({ name }) => name);
  if (variables.some((name) => client.takes.test(name))) return undefined;
  return settingOf(facts, container, client.setting) ?? variableOf(container, client.variables, variables);
}

function settingOf(facts: PodFacts, { spec }: ContainerFacts, setting: RegExp | undefined): string | undefined {
  if (setting === undefined) return undefined;
  for (const field of ['command', 'args'] as const) {
    const found = setting.exec((spec[field] ?? []).join(' ').slice(0, 4000))?.[0];
    if (found !== undefined) return `its ${field} has ${found.trim().split(/\s/)[0]}`;
  }
  const used = usedBy(facts.pod, spec);
  for (const { kind, name, texts = {} } of facts.evidence.configs) {
    if (kind !== 'ConfigMap' || !used.some((one) => one.kind === kind && one.name === name)) continue;
    for (const [key, text] of Object.entries(texts)) {
      const found = setting.exec(text.replaceAll(/^[ \t]*[#;].*$/gm, ''))?.[0];
      if (found !== undefined) return `key ${key} of ConfigMap ${name} has ${found.trim().split(/\s/)[0]}`;
    }
  }
  return undefined;
}

/** Only an image without a command of the pod's own reads such variables. */
function variableOf({ spec }: ContainerFacts, wanted: RegExp, names: readonly string[]): string | undefined {
  const found = names.find((name) => wanted.test(name));
  return found === undefined || (spec.command ?? []).length > 0 ? undefined : `variable ${found}`;
}
